import styles from './plot.module.css';

export interface StackedBar {
  key: string;
  /** What the bar stands for, with its counts. */
  label: string;
  /** From the ground up. */
  parts: readonly { tone: string; count: number }[];
  /** Draws a hatched ground: more may have happened than the counts say. */
  isUncertain?: boolean;
}

const HEIGHT = 64;
const STEP = 10;
/** Few events draw low bars, so that one event does not look like many. */
const LEAST_SCALE = 4;

/** Counts of several states over time. Each bar says its counts; the text beside the bars names the colours. */
export function StackedBars({ label, bars }: { label: string; bars: readonly StackedBar[] }) {
  const totals = bars.map(({ parts }) => parts.reduce((sum, { count }) => sum + count, 0));
  const unit = (HEIGHT - 4) / Math.max(LEAST_SCALE, ...totals);
  return (
    <svg
      className={styles['bars']}
      viewBox={`0 0 ${bars.length * STEP} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${label}: ${bars.map((bar) => bar.label).join('; ')}`}
    >
      <path
        className={styles['zero']}
        d={`M0 ${HEIGHT - 0.5}H${bars.length * STEP}`}
        vectorEffect="non-scaling-stroke"
      />
      {bars.map(({ key, label: text, parts, isUncertain = false }, n) => (
        <g key={key}>
          <title>{text}</title>
          <rect
            className={isUncertain ? styles['uncertain'] : styles['room']}
            x={n * STEP + 1}
            width={STEP - 2}
            height={HEIGHT}
          />
          {parts.map(({ tone, count }, i) => {
            const below = parts.slice(0, i).reduce((sum, part) => sum + part.count, 0);
            return (
              <rect
                key={tone}
                className={styles['block']}
                data-tone={tone}
                x={n * STEP + 1}
                width={STEP - 2}
                y={HEIGHT - (below + count) * unit}
                height={count * unit}
              />
            );
          })}
        </g>
      ))}
    </svg>
  );
}
