import styles from './plot.module.css';

export interface Bar {
  key: string;
  /** What the bar stands for, with its count: `22 Nov: 3 deployments`. */
  label: string;
  count: number;
}

const HEIGHT = 64;
const STEP = 10;

/** Counts over time. Each bar says what it stands for; a count of zero keeps its place. */
export function Bars({ label, bars }: { label: string; bars: readonly Bar[] }) {
  const highest = Math.max(1, ...bars.map(({ count }) => count));
  return (
    <svg
      className={styles['bars']}
      viewBox={`0 0 ${bars.length * STEP} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${label}: ${
        bars
          .filter(({ count }) => count > 0)
          .map((bar) => bar.label)
          .join('; ') || 'none'
      }`}
    >
      {/* biome-ignore lint/a11y/noAriaHiddenOnFocusable: shapes take no focus; the label names all bars at once, and their titles are for the pointer */}
      <g aria-hidden="true">
        <path
          className={styles['zero']}
          d={`M0 ${HEIGHT - 0.5}H${bars.length * STEP}`}
          vectorEffect="non-scaling-stroke"
        />
        {bars.map(({ key, label: text, count }, n) => {
          const height = (count / highest) * (HEIGHT - 4);
          return (
            <rect
              key={key}
              className={styles['bar']}
              x={n * STEP + 1}
              width={STEP - 2}
              y={HEIGHT - height}
              height={height}
            >
              <title>{text}</title>
            </rect>
          );
        })}
      </g>
    </svg>
  );
}
