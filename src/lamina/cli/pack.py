"""`lamina pack`: build a MIME message of user-data from parts."""

from __future__ import annotations

import click

from lamina.cli.click_options import example
from lamina.cli.notes import show_notes
from lamina.cli.output import echo, status_of
from lamina.cli.write_files import write_file


@click.command("pack", epilog=example("lamina pack -o user-data base.yaml setup.sh"))
@click.argument("parts", nargs=-1, required=True, metavar="PART...")
@click.option("-o", "--output", metavar="FILE", help="Write to FILE instead of standard output.")
@click.option("--merge-type", metavar="RULE", help="The merge rule of each cloud-config part.")
@click.option("--gzip", "zipped", is_flag=True, help="Compress the result.")
@click.option("-q", "--quiet", is_flag=True, help="Print no notes.")
def command(parts: tuple[str, ...], output: str | None, merge_type: str | None, zipped: bool, quiet: bool) -> int:
    """Build user-data from the files PART..., in that order.

    A part is FILE or FILE:TYPE. Without a type, the first line decides (#cloud-config, #!, ...). Types may omit
    text/: setup.txt:cloud-config. A note warns if the result is too large for a cloud; the exit status is 1 if
    cloud-init would drop a part.
    """
    from lamina.dialects.cloudinit.mime_pack import pack

    packed = pack(parts, merge_type=merge_type, zipped=zipped)
    if output is None or output == "-":
        echo(packed.data)
    else:
        write_file(output, packed.data)
    if not quiet:
        show_notes(packed.notes)
    return status_of(packed.notes)
