import styles from "./SessionFrame.module.css";

const SPOKES =
  "M318.0 210.0L428.0 210.0M315.6 219.0L410.9 274.0M309.0 225.6L364.0 320.9M300.0 228.0L300.0 338.0M291.0 225.6L236.0 320.9M284.4 219.0L189.1 274.0M282.0 210.0L172.0 210.0M284.4 201.0L189.1 146.0M291.0 194.4L236.0 99.1M300.0 192.0L300.0 82.0M309.0 194.4L364.0 99.1M315.6 201.0L410.9 146.0";
const BUCKETS =
  "M429.8 187.2L450.2 232.8M423.8 255.1L418.7 304.9M384.7 311.0L355.3 351.5M322.8 339.8L277.2 360.2M254.9 333.8L205.1 328.7M199.0 294.7L158.5 265.3M170.2 232.8L149.8 187.2M176.2 164.9L181.3 115.1M215.3 109.0L244.7 68.5M277.2 80.2L322.8 59.8M345.1 86.2L394.9 91.3M401.0 125.3L441.5 154.7";
const WAVES = [
  "M-120 300q30.0 -16 60.0 0q30.0 16 60.0 0q30.0 -16 60.0 0q30.0 16 60.0 0q30.0 -16 60.0 0q30.0 16 60.0 0q30.0 -16 60.0 0q30.0 16 60.0 0q30.0 -16 60.0 0q30.0 16 60.0 0q30.0 -16 60.0 0q30.0 16 60.0 0q30.0 -16 60.0 0q30.0 16 60.0 0V460H-120z",
  "M-150 326q37.5 -14 75.0 0q37.5 14 75.0 0q37.5 -14 75.0 0q37.5 14 75.0 0q37.5 -14 75.0 0q37.5 14 75.0 0q37.5 -14 75.0 0q37.5 14 75.0 0q37.5 -14 75.0 0q37.5 14 75.0 0q37.5 -14 75.0 0q37.5 14 75.0 0V460H-150z",
  "M-180 354q45.0 -12 90.0 0q45.0 12 90.0 0q45.0 -12 90.0 0q45.0 12 90.0 0q45.0 -12 90.0 0q45.0 12 90.0 0q45.0 -12 90.0 0q45.0 12 90.0 0q45.0 -12 90.0 0q45.0 12 90.0 0q45.0 -12 90.0 0q45.0 12 90.0 0V460H-180z",
];

/** A water wheel turning in the tide. Decoration only; it stands still for users who ask for less motion. */
export function TideScene({ className }: { className?: string }) {
  return (
    <svg className={className} viewBox="0 0 600 430" preserveAspectRatio="xMidYMax slice" aria-hidden="true">
      <g className={styles.wheel}>
        <circle cx="300" cy="210" r="128" className={styles.rim} />
        <circle cx="300" cy="210" r="104" className={styles.inner} />
        <circle cx="300" cy="210" r="18" className={styles.rim} />
        <path d={SPOKES} className={styles.inner} />
        <path d={BUCKETS} className={styles.bucket} />
      </g>
      {WAVES.map((wave, index) => (
        <path key={wave} d={wave} className={styles.water} style={{ opacity: 0.22 + index * 0.2 }} />
      ))}
    </svg>
  );
}
