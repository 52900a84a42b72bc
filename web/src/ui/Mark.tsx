/** The water wheel of Tidemill, in the colour of the text around it. */
const PADDLES =
  "M18.22 13.92L23.95 16.29M24.50 14.77L24.35 18.21M16.92 15.22L19.29 20.95M20.76 20.26L18.22 22.59M15.08 15.22L12.71 20.95M14.23 21.50L10.79 21.35M13.78 13.92L8.05 16.29M8.74 17.76L6.41 15.22M13.78 12.08L8.05 9.71M7.50 11.23L7.65 7.79M15.08 10.78L12.71 5.05M11.24 5.74L13.78 3.41M16.92 10.78L19.29 5.05M17.77 4.50L21.21 4.65M18.22 12.08L23.95 9.71M23.26 8.24L25.59 10.78";
const WAVE = "M2 27.5c2.3 0 2.3-2 4.7-2s2.3 2 4.6 2 2.4-2 4.7-2 2.3 2 4.7 2 2.3-2 4.6-2 2.4 2 4.7 2";

export function Mark({ size = 28, className }: { size?: number; className?: string }) {
  return (
    <svg
      className={className}
      width={size}
      height={size}
      viewBox="0 0 32 32"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.9"
      strokeLinecap="round"
      aria-hidden="true"
    >
      <circle cx="16" cy="13" r="6.6" />
      <circle cx="16" cy="13" r="1.5" fill="currentColor" />
      <path d={PADDLES} />
      <path d={WAVE} strokeWidth="2.2" />
    </svg>
  );
}
