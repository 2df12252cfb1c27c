import type {
  Canvas,
  CanvasKit,
  Font,
  MallocObj,
  Paint,
  Paragraph,
  PathBuilder,
  Surface,
} from 'canvaskit-wasm';
import { encodePng } from '../png.js';

const PIXEL_BYTES = 4;

/**
 * Surface of a picture: draws rectangles, paths and glyphs, in one colour at a time. Skia's objects are outside of the
 * collected heap, so call `dispose` when the picture is done.
 */
export class DrawingSurface {
  readonly #kit: CanvasKit;
  readonly #width: number;
  readonly #height: number;
  readonly #memory: MallocObj;
  readonly #surface: Surface;
  readonly #canvas: Canvas;
  readonly #paint: Paint;
  readonly #path: PathBuilder;
  #red = 0;
  #green = 0;
  #blue = 0;
  #alpha = 1;

  /** Throws if there is no memory for the pixels. */
  constructor(kit: CanvasKit, width: number, height: number) {
    this.#kit = kit;
    this.#width = width;
    this.#height = height;
    this.#memory = kit.Malloc(Uint8Array, width * height * PIXEL_BYTES);
    const info = {
      ...{ width, height },
      ...{
        colorType: kit.ColorType.RGBA_8888,
        alphaType: kit.AlphaType.Opaque,
        colorSpace: kit.ColorSpace.SRGB,
      },
    };
    const surface = kit.MakeRasterDirectSurface(info, this.#memory, width * PIXEL_BYTES);
    if (!surface) {
      kit.Free(this.#memory);
      throw new Error(`no surface of ${width} x ${height} pixels`);
    }
    this.#surface = surface;
    this.#canvas = surface.getCanvas();
    this.#paint = new kit.Paint();
    this.#paint.setAntiAlias(true);
    this.#path = new kit.PathBuilder();
  }

  /** Colour of everything drawn from now on, `#rrggbb`. */
  set color(css: string) {
    const rgb = Number.parseInt(css.slice(1), 16);
    [this.#red, this.#green, this.#blue] = [rgb >> 16, (rgb >> 8) & 0xff, rgb & 0xff];
    this.#paint.setColor(this.rgba);
  }

  /** The colour and opacity, for text that Skia lays out. */
  get rgba(): Float32Array {
    return this.#kit.Color(this.#red, this.#green, this.#blue, this.#alpha);
  }

  /** Opacity of everything drawn from now on, from 0 to 1. */
  get alpha(): number {
    return this.#alpha;
  }

  set alpha(alpha: number) {
    if (alpha === this.#alpha) return;
    this.#alpha = alpha;
    this.#paint.setColor(this.rgba);
  }

  fillRect(x: number, y: number, width: number, height: number): void {
    this.#canvas.drawRect4f(x, y, x + width, y + height, this.#paint);
  }

  rect(x: number, y: number, width: number, height: number): void {
    this.#path.addRect(this.#kit.XYWHRect(x, y, width, height));
  }

  moveTo(x: number, y: number): void {
    this.#path.moveTo(x, y);
  }

  lineTo(x: number, y: number): void {
    this.#path.lineTo(x, y);
  }

  quadraticCurveTo(controlX: number, controlY: number, x: number, y: number): void {
    this.#path.quadTo(controlX, controlY, x, y);
  }

  /** Fills the path that has been traced, and ends it. */
  fill(): void {
    const path = this.#path.detach();
    try {
      this.#canvas.drawPath(path, this.#paint);
    } finally {
      path.delete();
    }
  }

  /** Draws a line along the path that has been traced, and ends it. */
  stroke(thickness: number): void {
    this.#paint.setStyle(this.#kit.PaintStyle.Stroke);
    this.#paint.setStrokeWidth(thickness);
    this.fill();
    this.#paint.setStyle(this.#kit.PaintStyle.Fill);
  }

  /**
   * Draws glyphs of a font.
   *
   * @param positions - x and y of each, from `x`, `y`
   * @param scale - narrows them and the distances between them, if less than 1
   */
  glyphs(font: Font, ids: Uint16Array, positions: Float32Array, x: number, y: number, scale = 1): void {
    if (scale === 1) this.#canvas.drawGlyphs(ids, positions, x, y, font, this.#paint);
    else this.#scaled(x, y, scale, () => this.#canvas.drawGlyphs(ids, positions, 0, 0, font, this.#paint));
  }

  /** Draws text that Skia has laid out, with its upper left corner here. */
  paragraph(paragraph: Paragraph, x: number, y: number, scale: number): void {
    this.#scaled(x, y, scale, () => this.#canvas.drawParagraph(paragraph, 0, 0));
  }

  /** Returns the picture as PNG. Call it once every pixel is drawn on. */
  png(): Uint8Array {
    return encodePng(this.#memory.toTypedArray() as Uint8Array, this.#width, this.#height);
  }

  dispose(): void {
    this.#path.delete();
    this.#paint.delete();
    this.#surface.delete();
    this.#kit.Free(this.#memory);
  }

  #scaled(x: number, y: number, scale: number, draw: () => void): void {
    this.#canvas.save();
    this.#canvas.translate(x, y);
    this.#canvas.scale(scale, 1);
    draw();
    this.#canvas.restore();
  }
}
