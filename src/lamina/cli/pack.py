"""`lamina pack`: build a MIME message of user-data from parts."""

from __future__ import annotations

import click

from lamina.cli.help_sections import example
from lamina.cli.output import echo
from lamina.cli.render_request import show_notes
from lamina.cli.write_files import write_file


@click.command("pack", epilog=example("lamina pack -o user-data base.yaml setup.sh"))
@click.argument("parts", nargs=-1, required=True, metavar="PART...")
@click.option("-o", "--output", metavar="FILE", help="Where to write it; standard output if not given.")
@click.option("--merge-type", metavar="RULE", help="The rule by which each part of cloud-config is merged.")
@click.option("--gzip", "zipped", is_flag=True, help="Compress the whole.")
@click.option("-q", "--quiet", is_flag=True, help="Print no notes.")
def command(parts: tuple[str, ...], output: str | None, merge_type: str | None, zipped: bool, quiet: bool) -> int:
    """Build user-data from the files PART..., in that order.

    A part is FILE or FILE:TYPE. Without a type its first line tells it (#cloud-config, #!, ...). Types may be written
    without text/: setup.txt:cloud-config. Notes say where the result is too large for a cloud.
    """
    from lamina.dialects.cloudinit.mime_pack import pack

    packed = pack(parts, merge_type=merge_type, zipped=zipped)
    if output is None or output == "-":
        echo(packed.data)
    else:
        write_file(output, packed.data)
    if not quiet:
        show_notes(packed.notes)
    return 0
