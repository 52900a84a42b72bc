/** Bytes per second over the last few seconds, so that a stall shows quickly and a burst does not mislead. */
const SPAN_MS = 8_000;

export class SpeedMeter {
  private samples: { at: number; bytes: number }[] = [];

  constructor(private readonly now: () => number = Date.now) {}

  add(bytes: number): void {
    const at = this.now();
    this.samples.push({ at, bytes });
    if (this.samples.length > 400) this.forgetOld(at);
  }

  reset(): void {
    this.samples = [];
  }

  bytesPerSecond(): number {
    const at = this.now();
    this.forgetOld(at);
    const first = this.samples[0];
    if (!first) return 0;
    const sum = this.samples.reduce((total, sample) => total + sample.bytes, 0);
    return sum / Math.max(1, (at - first.at) / 1000);
  }

  private forgetOld(at: number): void {
    this.samples = this.samples.filter((sample) => at - sample.at <= SPAN_MS);
  }
}
