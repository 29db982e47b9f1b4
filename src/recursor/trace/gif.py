"""A trace as an animated GIF, for places that show no SVG. It is drawn by Pillow."""

from io import BytesIO
from pathlib import Path
from typing import Any

from recursor.system.files import write_atomically
from recursor.trace.moving import DARK_INK, HOLD, INKS, LIGHT, LONGEST, LOOKS, SECONDS
from recursor.trace.scene import HEIGHT, WIDTH, Scene
from recursor.trace.shapes import Box, Line, Words
from recursor.trace.trace import Trace

FINE = 2  # pixels that are drawn for one that is shown, in each direction


def require_pillow() -> None:
    """Refuses to go on without Pillow."""
    try:
        import PIL.Image  # noqa: F401
    except ImportError:
        raise ValueError("a GIF is drawn by Pillow, which is not installed: pip install pillow, or write an SVG") from None


def write_gif(path: Path | str, trace: Trace, title: str) -> None:
    """Writes the moving picture of a trace as a GIF, a row a frame, and the answer at the end."""
    require_pillow()
    from PIL import Image

    scene = Scene(trace, title)
    seconds = min(SECONDS, LONGEST / scene.rows)
    draw = _Pen()
    pictures = (draw.picture(scene.moment(moment)) for moment in range(scene.rows + 1))
    palette = draw.swatches(scene.moment(scene.rows)).quantize(128, dither=Image.Dither.NONE)  # one for all frames
    frames = [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures]
    file = BytesIO()
    durations = [round(1000 * seconds)] * scene.rows + [round(1000 * HOLD)]
    frames[0].save(file, "GIF", save_all=True, append_images=frames[1:], duration=durations, loop=0, optimize=True)
    write_atomically(Path(path), file.getvalue())


class _Pen:
    """Draws boxes, lines and words."""

    def __init__(self) -> None:
        from matplotlib import get_data_path

        self.folder = Path(get_data_path()) / "fonts" / "ttf"
        self.fonts: dict[tuple[float, bool], Any] = {}

    def font(self, size: float, bold: bool) -> Any:
        from PIL import ImageFont

        if (size, bold) not in self.fonts:
            name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
            self.fonts[size, bold] = ImageFont.truetype(str(self.folder / name), round(FINE * size * 0.93))
        return self.fonts[size, bold]

    def picture(self, parts: list) -> Any:
        from PIL import Image, ImageDraw

        picture = Image.new("RGB", (FINE * WIDTH, FINE * HEIGHT), LIGHT["paper"])
        pen = ImageDraw.Draw(picture)
        for part in parts:
            for shape in part:
                self.shape(pen, shape)
        return picture.resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS)

    def swatches(self, parts: list) -> Any:
        """A picture with all colours that occur, and letters on each, whose edges are mixed."""
        boxes = [Box(90 * (k % 10), 200 + 75 * (k // 10), 90, 75, 0, look) for k, look in enumerate(LOOKS)]
        inks = [
            Words(b.x + 45, b.y + 30 + 18 * k, "mixed", ink, "middle") for b in boxes for k, ink in enumerate(INKS) if k < 3
        ]
        return self.picture([*parts, tuple(boxes), tuple(inks)])

    def shape(self, pen: Any, shape: Box | Line | Words) -> None:
        match shape:
            case Box():
                fill, stroke, width = LOOKS[shape.look]
                x, y, right, low = (FINE * v for v in (shape.x, shape.y, shape.x + shape.width, shape.y + shape.height))
                pen.rounded_rectangle(
                    (x, y, max(x, right), max(y, low)),
                    FINE * shape.radius,
                    _colour(fill),
                    _colour(stroke),
                    round(FINE * width),
                )
            case Line():
                _, stroke, width = LOOKS[shape.look]
                points = [(FINE * x, FINE * y) for x, y in shape.points]
                pen.line(points, _colour(stroke), max(1, round(FINE * width)), joint="curve")
            case Words():
                anchor = {"start": "ls", "middle": "ms", "end": "rs"}[shape.anchor]
                place = (FINE * shape.x, FINE * shape.y)
                pen.text(place, shape.text, _colour(INKS[shape.look]), self.font(shape.size, shape.bold), anchor=anchor)


def _colour(name: str) -> str | None:
    """Returns a colour; one that is half transparent is mixed with the paper."""
    if name == "none":
        return None
    if name == "dark":
        return DARK_INK
    base, line, _ = name.partition("-line")
    if not line:
        return LIGHT[name]
    mixed = (sum(int(c[k : k + 2], 16) for c in (LIGHT[base], LIGHT["paper"])) // 2 for k in (1, 3, 5))
    return "#" + "".join(f"{value:02x}" for value in mixed)
