import type { ReactNode } from 'react';
import { dateText } from '../../model/time.ts';
import { count as countText, nounOf } from '../../model/words.ts';
import styles from './plot.module.css';

const HEIGHT = 64;
const STEP = 10;

interface FrameProps {
  label: string;
  /** What is counted: `deployments per day`. */
  unit: string;
  bars: number;
  /** The value of the upper edge. */
  highest: number;
  /** The first and the last day, as ISO dates. */
  ends: readonly [first: string | undefined, last: string | undefined];
  children: ReactNode;
}

/** The frame of a plot with bars: stretched to its place, with a line on the ground, a scale and the first and the last day. */
const Frame = ({ label, unit, bars, highest, ends, children }: FrameProps) => (
  <div className={styles['chart']}>
    <p className={styles['unit']}>{unit}</p>
    <div className={styles['scale']} aria-hidden="true">
      <span>{highest.toLocaleString('en')}</span>
      <span>0</span>
    </div>
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
        <path className={styles['grid']} d={`M0 0.5H${bars * STEP}`} vectorEffect="non-scaling-stroke" />
        {children}
      </g>
    </svg>
    <p className={styles['ends']}>
      <span>{dateText(ends[0])}</span>
      <span>{dateText(ends[1])} UTC</span>
    </p>
  </div>
);

interface Bar {
  key: string;
  /** What the bar stands for, with its count: `22 Nov: 3 deployments`. */
  label: string;
  count: number;
}

interface BarsProps {
  label: string;
  unit: string;
  bars: readonly Bar[];
  ends: readonly [first: string | undefined, last: string | undefined];
}

/** Counts over time. Each bar says what it stands for; a count of zero keeps its place. */
function Bars({ label, unit, bars, ends }: BarsProps) {
  const highest = Math.max(1, ...bars.map(({ count }) => count));
  const labels = bars.filter(({ count }) => count > 0).map((bar) => bar.label);
  return (
    <Frame
      label={`${label}: ${labels.join('; ') || 'none'}`}
      unit={unit}
      bars={bars.length}
      highest={highest}
      ends={ends}
    >
      {bars.map(({ key, label: text, count }, n) => {
        const height = (count / highest) * HEIGHT;
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
  /** The oldest day first, with ISO dates. */
  days: readonly { date: string; count: number }[];
}

/** Counts per day, with a scale and the first and the last day. */
export const DailyBars = ({ label, noun, days }: DailyBarsProps) => (
  <Bars
    label={label}
    unit={`${nounOf(2, noun)} per day`}
    bars={days.map(({ date, count }) => ({ key: date, label: `${dateText(date)}: ${countText(count, noun)}`, count }))}
    ends={[days.at(0)?.date, days.at(-1)?.date]}
  />
);

interface StackedBar {
  /** The day, as an ISO date. */
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

interface StackedBarsProps {
  label: string;
  unit: string;
  bars: readonly StackedBar[];
}

/** Counts of several states per day. Each bar says its counts; a legend beside the bars names the colours. */
export function StackedBars({ label, unit: text, bars }: StackedBarsProps) {
  const totals = bars.map(({ parts }) => parts.reduce((sum, { count }) => sum + count, 0));
  const highest = Math.max(LEAST_SCALE, ...totals);
  const unit = HEIGHT / highest;
  return (
    <Frame
      label={`${label}: ${bars.map((bar) => bar.label).join('; ')}`}
      unit={text}
      bars={bars.length}
      highest={highest}
      ends={[bars.at(0)?.key, bars.at(-1)?.key]}
    >
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
