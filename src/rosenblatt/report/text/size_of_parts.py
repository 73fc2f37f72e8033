"""What takes up the space in a model file, as text."""

from collections.abc import Iterator

from rosenblatt.model.size_of_parts import Room
from rosenblatt.options.command_line import as_flag
from rosenblatt.options.values.file_size import shown_size
from rosenblatt.report.text.layout import bold


def room_lines(path: str, room: Room) -> Iterator[str]:
    """The parts of the file, the largest first, and what making it small would save."""
    yield f"{bold(path)}  {shown_size(room.bytes)}"
    yield ""
    width = max(map(len, room.parts))
    for name, count in room.parts.items():
        yield f"  {name:{width}}  {shown_size(count):>9}  {count / room.bytes:6.1%}"
    if room.bytes_small is not None:
        yield ""
        small = shown_size(room.bytes_small)
        yield f"  With every weight in two bytes it takes {small}, with fewer weights less. For example:"
        yield f"  rosenblatt export {path} {as_flag('size', '1MB')} -o small.model"
