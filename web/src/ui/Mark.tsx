/** The water wheel of Tidemill, in the colour of the text around it. */
const SPOKES = "M9.76 9.40L22.24 16.60M16.00 5.80L16.00 20.20M22.24 9.40L9.76 16.60";
const PADDLES =
  "M24.80 15.95L24.70 20.15M17.84 22.09L14.16 24.11M9.05 19.14L5.46 16.96M7.20 10.05L7.30 5.85M14.16 3.91L17.84 1.89M22.95 6.86L26.54 9.04";
const WAVE = "M3 28.6c2.2 0 2.2-2.2 4.4-2.2s2.2 2.2 4.3 2.2 2.2-2.2 4.3-2.2 2.2 2.2 4.4 2.2 2.2-2.2 4.3-2.2 2.2 2.2 4.3 2.2";

export function Mark({ size = 28, className }: { size?: number; className?: string }) {
  return (
    <svg className={className} width={size} height={size} viewBox="0 0 32 32" fill="none" stroke="currentColor" strokeWidth="2" strokeLinecap="round" aria-hidden="true">
      <circle cx="16" cy="13" r="7.4" />
      <path d={SPOKES} strokeWidth="1.4" />
      <path d={PADDLES} strokeWidth="2.4" />
      <path d={WAVE} strokeWidth="2.4" />
    </svg>
  );
}
