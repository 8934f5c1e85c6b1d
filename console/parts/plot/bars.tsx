import type { ReactNode } from 'react';
import { count as countText } from '../../model/words.ts';
import styles from './plot.module.css';

const HEIGHT = 64;
const STEP = 10;

/** The frame of a plot with bars: stretched to its place, with a line on the ground. */
const Frame = ({ label, bars, children }: { label: string; bars: number; children: ReactNode }) => (
  <svg
    className={styles['bars']}
    viewBox={`0 0 ${bars * STEP} ${HEIGHT}`}
    preserveAspectRatio="none"
    role="img"
    aria-label={label}
  >
    {/* biome-ignore lint/a11y/noAriaHiddenOnFocusable: shapes take no focus; the label names all bars at once, and their titles are for the pointer */}
    <g aria-hidden="true">
      <path className={styles['zero']} d={`M0 ${HEIGHT - 0.5}H${bars * STEP}`} vectorEffect="non-scaling-stroke" />
      {children}
    </g>
  </svg>
);

interface Bar {
  key: string;
  /** What the bar stands for, with its count: `22 Nov: 3 deployments`. */
  label: string;
  count: number;
}

/** Counts over time. Each bar says what it stands for; a count of zero keeps its place. */
export function Bars({ label, bars }: { label: string; bars: readonly Bar[] }) {
  const highest = Math.max(1, ...bars.map(({ count }) => count));
  const labels = bars.filter(({ count }) => count > 0).map((bar) => bar.label);
  return (
    <Frame label={`${label}: ${labels.join('; ') || 'none'}`} bars={bars.length}>
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
    </Frame>
  );
}

interface DailyBarsProps {
  label: string;
  /** What is counted: `build`. */
  noun: string;
  /** The oldest day first. */
  days: readonly { date: string; count: number }[];
}

/** Counts per day, with the first and the last day below. */
export const DailyBars = ({ label, noun, days }: DailyBarsProps) => (
  <div className={styles['days']}>
    <Bars
      label={label}
      bars={days.map(({ date, count }) => ({ key: date, label: `${date}: ${countText(count, noun)}`, count }))}
    />
    <p className={styles['ends']}>
      <span>{days.at(0)?.date}</span>
      <span>{days.at(-1)?.date} UTC</span>
    </p>
  </div>
);

interface StackedBar {
  key: string;
  /** What the bar stands for, with its counts. */
  label: string;
  /** From the ground up. */
  parts: readonly { tone: string; count: number }[];
  /** Draws a hatched ground: more may have happened than the counts say. */
  isUncertain?: boolean;
}

/** Few events draw low bars, so that one event does not look like many. */
const LEAST_SCALE = 4;

/** Counts of several states over time. Each bar says its counts; the text beside the bars names the colours. */
export function StackedBars({ label, bars }: { label: string; bars: readonly StackedBar[] }) {
  const totals = bars.map(({ parts }) => parts.reduce((sum, { count }) => sum + count, 0));
  const unit = (HEIGHT - 4) / Math.max(LEAST_SCALE, ...totals);
  return (
    <Frame label={`${label}: ${bars.map((bar) => bar.label).join('; ')}`} bars={bars.length}>
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
    </Frame>
  );
}
