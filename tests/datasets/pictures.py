"""Small pictures that tests make themselves."""

import io

from PIL import Image, ImageDraw


def picture(seed: int = 1, size: tuple[int, int] = (40, 30), format: str = "JPEG") -> bytes:
    """A picture with edges; another for each seed."""
    image = Image.new("RGB", size, (seed * 37 % 256, seed * 91 % 256, 90))
    draw = ImageDraw.Draw(image)
    for step in range(0, size[0], 4):
        draw.line((step, 0, (step * (seed + 2)) % size[0], size[1]), fill=(255, step * 5 % 256, seed % 256))
    out = io.BytesIO()
    image.save(out, format, quality=90)
    return out.getvalue()


def plain_picture(value: int = 128, size: tuple[int, int] = (40, 30)) -> bytes:
    """One colour: nothing in it is sharp."""
    out = io.BytesIO()
    Image.new("RGB", size, (value, value, value)).save(out, "PNG")
    return out.getvalue()


def coco(pictures: dict[str, bytes], boxes: int = 2, size: tuple[int, int] = (40, 30)) -> dict[str, bytes]:
    """A COCO set of these pictures, with so many boxes each."""
    import json

    images = [
        {"id": place, "file_name": name, "width": size[0], "height": size[1]}
        for place, name in enumerate(pictures, start=1)
    ]
    annotations = [
        {
            "id": len(images) * number + image["id"],
            "image_id": image["id"],
            "category_id": 1 + number % 2,
            "bbox": [number, number + 1, 10.5, 8],
            "area": 84,
            "iscrowd": 0,
        }
        for image in images
        for number in range(boxes)
    ]
    categories = [{"id": 1, "name": "boat"}, {"id": 2, "name": "buoy"}]
    told = {"images": images, "annotations": annotations, "categories": categories}
    files = {f"images/{name}": data for name, data in pictures.items()}
    return {**files, "annotations/instances.json": json.dumps(told).encode()}
