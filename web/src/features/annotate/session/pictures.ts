/** Pictures that are shown, were shown, or are about to be. */
import { Picture } from "../engine/picture";

/** Decoded pixels that may be held; the oldest go first. */
const MOST_PIXELS = 80_000_000;

export class Pictures {
  private readonly ready = new Map<number, Picture>();
  private readonly loading = new Map<number, Promise<Picture>>();
  private inUse: number | null = null;

  constructor(private readonly content: (seq: number) => Promise<Blob>) {}

  find(seq: number): Picture | null {
    return this.ready.get(seq) ?? null;
  }

  load(seq: number): Promise<Picture> {
    const known = this.ready.get(seq);
    if (known) {
      this.ready.delete(seq);
      this.ready.set(seq, known);
      return Promise.resolve(known);
    }
    const under = this.loading.get(seq) ?? this.fetch(seq);
    this.loading.set(seq, under);
    return under;
  }

  /** The one on the screen is never let go. */
  use(seq: number): void {
    this.inUse = seq;
  }

  close(): void {
    for (const picture of this.ready.values()) picture.close();
    this.ready.clear();
  }

  private async fetch(seq: number): Promise<Picture> {
    try {
      const picture = await Picture.of(await this.content(seq));
      this.ready.set(seq, picture);
      this.letGo();
      return picture;
    } finally {
      this.loading.delete(seq);
    }
  }

  private letGo(): void {
    let held = [...this.ready.values()].reduce((sum, picture) => sum + picture.width * picture.height, 0);
    for (const [seq, picture] of this.ready) {
      if (held <= MOST_PIXELS || this.ready.size <= 3) return;
      if (seq === this.inUse) continue;
      held -= picture.width * picture.height;
      this.ready.delete(seq);
      picture.close();
    }
  }
}
