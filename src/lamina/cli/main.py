"""The command `lamina`: finds the sub-command, and turns whatever goes wrong into a message and an exit status.

Exit status: 0 done, 1 findings or differences, 2 wrong usage, 3 the input could not be read or merged, 70 a bug in
Lamina or in a plug-in, which is then named. Data goes to standard output, everything else to standard error.
"""

from __future__ import annotations

import gc
import os
import sys
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from lamina._support.escapes import one_line
from lamina.cli.output import DEFECT, UNREADABLE, USAGE, print_error

if TYPE_CHECKING:
    from collections.abc import Iterator

INTERRUPTED = 130
_DEBUG = "--debug"


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit."""
    is_process = arguments is None
    arguments = sys.argv[1:] if arguments is None else arguments
    # People who meet an error repeat the command with the option at its end.
    debug = _DEBUG in arguments
    arguments = [argument for argument in arguments if argument != _DEBUG]
    try:
        with nullcontext() if _makes_garbage(arguments) else collecting_nothing():
            try:
                status = _run(arguments)
            finally:
                if is_process:
                    # The collector would look at all that was made as soon as it is enabled, and again at exit.
                    gc.freeze()
    except BaseException as error:  # every way out of a command ends here, as a message and a status
        status = _report(error, debug=debug)
    sys.exit(status if isinstance(status, int) else 0)


def _makes_garbage(arguments: list[str]) -> bool:
    """Whether a command goes on to make new results in the place of others; of most, all that they make is needed."""
    return arguments[:1] in (["explore"], ["lsp"], ["set"], ["store"]) or "--watch" in arguments


@contextmanager
def collecting_nothing() -> Iterator[None]:
    """No garbage is collected meanwhile.

    What a command makes lives to the end of its process, so that the collector looks at more and more objects and finds
    nothing: rendering the 196 nodes of a real Hiera repository takes 1.5 times as long with it.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _run(arguments: list[str]) -> Any:
    from lamina.cli.group import lamina

    if "_LAMINA_COMPLETE" in os.environ:
        from lamina.cli import powershell_completion  # noqa: F401 - registers itself

    return lamina.main(args=arguments, prog_name="lamina", standalone_mode=False)


def _report(error: BaseException, *, debug: bool) -> int:
    """Print what went wrong and give the exit status for it."""
    from lamina.errors import LaminaError, UsageError

    if isinstance(error, SystemExit):  # completion ends so
        return error.code if isinstance(error.code, int) else 0
    by_click = _click_message(error)
    if debug and by_click != ("", 0):
        import traceback

        print_error(_escaped("".join(traceback.format_exception(error)).removesuffix("\n")))
    if by_click is not None:
        return _print_error(*by_click)
    if isinstance(error, LaminaError):
        return _print_error(_message_of(error), USAGE if isinstance(error, UsageError) else UNREADABLE)
    if isinstance(error, KeyboardInterrupt):
        return _print_error("lamina: interrupted", INTERRUPTED)
    if isinstance(error, MemoryError):
        return _print_error("lamina: out of memory\n  hint: render fewer files at a time", UNREADABLE)
    if isinstance(error, BrokenPipeError):
        # The reader of our output has closed the pipe; nothing more can be printed.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    from lamina._support.plugin_defect import defect_of

    defect = defect_of(error)
    message = one_line(f"lamina: {defect.message}")
    return _print_error(f"{message}\n  hint: {defect.hint}; --debug shows the traceback", DEFECT)


def _escaped(text: str) -> str:
    """Lines that quote what was given, such as a misspelled option, as they may be printed."""
    return "\n".join(map(one_line, text.split("\n")))


def _message_of(error: BaseException) -> str:
    """An error as text; on a terminal that takes colours, each finding in red and what belongs to it below."""
    from lamina.cli.terminal import takes_colour

    lines = str(error).split("\n")
    if not takes_colour(sys.stderr):
        return "\n".join(lines)
    return "\n".join(line if line.startswith("  ") else f"\x1b[31m{line}\x1b[0m" for line in lines)


def _click_message(error: BaseException) -> tuple[str, int] | None:
    """The message and the status for an exception of click's; there is none unless click was loaded."""
    if "click" not in sys.modules:
        return None
    import click

    if isinstance(error, click.exceptions.Exit):
        return "", error.exit_code
    if isinstance(error, click.ClickException):
        from lamina.cli.usage_errors import message_of

        return _escaped(message_of(error)), USAGE
    if isinstance(error, click.exceptions.Abort):
        return "lamina: interrupted", INTERRUPTED
    return None


def _print_error(text: str, status: int) -> int:
    if text:
        print_error(text)
    return status


if __name__ == "__main__":
    main()
