import { createCanvas, loadImage } from '@napi-rs/canvas';

/** A decoded picture of cells. */
export class Picture {
  readonly width: number;
  readonly height: number;
  readonly #data: Uint8ClampedArray;
  readonly #cell: { width: number; height: number };

  private constructor(
    { width, height }: { width: number; height: number },
    data: Uint8ClampedArray,
    cell: { width: number; height: number },
  ) {
    this.width = width;
    this.height = height;
    this.#data = data;
    this.#cell = cell;
  }

  /** Reads a PNG whose cells have this size in pixels. */
  static async read(png: Uint8Array, cell = { width: 9, height: 19 }): Promise<Picture> {
    const image = await loadImage(Buffer.from(png));
    const context = createCanvas(image.width, image.height).getContext('2d');
    context.drawImage(image, 0, 0);
    return new Picture(image, context.getImageData(0, 0, image.width, image.height).data, cell);
  }

  /** Colour of one pixel of a cell, `#rrggbb`; by default its upper left corner, where no letter is. */
  at(col: number, row: number, x = 0, y = 0): string {
    const pixel = (row * this.#cell.height + y) * this.width + col * this.#cell.width + x;
    const [red, green, blue, alpha] = this.#data.subarray(pixel * 4, pixel * 4 + 4);
    if (alpha !== 255) throw new Error(`the pixel ${x}, ${y} of ${col}, ${row} is not opaque`);
    return `#${[red!, green!, blue!].map((value) => value.toString(16).padStart(2, '0')).join('')}`;
  }

  /** Number of pixels of a cell by colour. */
  colors(col: number, row: number): Map<string, number> {
    const counts = new Map<string, number>();
    for (let y = 0; y < this.#cell.height; y++) {
      for (let x = 0; x < this.#cell.width; x++) {
        const color = this.at(col, row, x, y);
        counts.set(color, (counts.get(color) ?? 0) + 1);
      }
    }
    return counts;
  }

  /** Returns the pixels of a cell, a line for each row: `#` for this colour, `.` for all others. */
  bitmap(col: number, row: number, color: string): string[] {
    return Array.from({ length: this.#cell.height }, (_, y) =>
      Array.from({ length: this.#cell.width }, (_, x) =>
        this.at(col, row, x, y) === color ? '#' : '.',
      ).join(''),
    );
  }
}
