import { useId } from 'react';
import { STATES, type StateName } from '../../model/states.ts';
import { Legend } from '../../parts/plot/legend.tsx';
import plot from '../../parts/plot/plot.module.css';
import { Hatching } from '../../parts/plot/strips.tsx';
import { dayText, hoursOf, hourText, type PresenceHour, partInDay } from '../model/presence.ts';
import type { PresenceDay } from '../operations.ts';
import type { Hole } from './holes.ts';
import styles from './presence.module.css';

const STEP = 10;
const HEIGHT = 20;
/** The highest bar. A hole that counts is higher, so that it is seen without its colour. */
const BAR = 14;
const LEAST = 5;

interface HourStripProps {
  day: PresenceDay;
  /** What was missed, of all days. */
  holes: readonly Hole[];
  /** Reports of the busiest hour of all days. */
  highest: number;
  now: number;
}

/** The hours of a day: a bar for reports, an empty box for none, hatching where nobody counted, a block for a gap. */
export function HourStrip({ day, holes, highest, now }: HourStripProps) {
  const hatching = useId();
  const missed = holesInDay(holes, day);
  return (
    <svg
      className={plot['strip']}
      height={HEIGHT}
      viewBox={`0 0 ${24 * STEP} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={[dayText(day, now), ...missed.map(({ text }) => text)].join('; ')}
    >
      <Hatching id={hatching} />
      {hoursOf(day, now).map((hour) => (
        <Hour key={hour.hour} hour={hour} highest={highest} hatching={hatching} />
      ))}
      {missed.map(({ key, from, to, state, text }) => (
        <rect
          key={key}
          className={state === 'unknown' ? undefined : plot['block']}
          fill={state === 'unknown' ? `url(#${hatching})` : undefined}
          data-tone={STATES[state].tone}
          x={from * STEP}
          width={Math.max(2, (to - from) * STEP)}
          height={HEIGHT}
        >
          <title>{text}</title>
        </rect>
      ))}
    </svg>
  );
}

interface HourProps {
  hour: PresenceHour;
  highest: number;
  hatching: string;
}

function Hour({ hour, highest, hatching }: HourProps) {
  const { state, reports } = hour;
  if (state === 'before' || state === 'later') return null;
  const height = state === 'reported' ? LEAST + ((BAR - LEAST) * reports) / highest : BAR;
  return (
    <rect
      className={state === 'reported' ? plot['bar'] : styles[state]}
      fill={state === 'unknown' ? `url(#${hatching})` : undefined}
      x={hour.hour * STEP + 1}
      width={STEP - 2}
      y={HEIGHT - height}
      height={height}
    >
      <title>{hourText(hour)}</title>
    </rect>
  );
}

/** The holes that lie in a day, in hours of it. */
const holesInDay = (holes: readonly Hole[], day: PresenceDay) =>
  holes.flatMap((hole) => {
    const part = partInDay(hole, day);
    return part ? [{ ...hole, ...part }] : [];
  });

interface HourLegendProps {
  days: readonly PresenceDay[];
  holes: readonly Hole[];
  now: number;
}

/** What the shapes mean, of those that are there. */
export function HourLegend({ days, holes, now }: HourLegendProps) {
  const hours = new Set(days.flatMap((day) => hoursOf(day, now).map(({ state }) => state)));
  const states = new Set<StateName>(days.flatMap((day) => holesInDay(holes, day).map(({ state }) => state)));
  const hasUnknown = hours.has('unknown') || states.has('unknown');
  return (
    <Legend
      states={[...states].filter((state) => state !== 'unknown')}
      notes={[
        'bar: reports, the higher the more',
        ...(hours.has('silent') ? ['empty box: no report in this hour'] : []),
        ...(states.has('missed') || states.has('excused') ? ['block of full height: a gap'] : []),
        ...(hasUnknown ? ['hatched: not known'] : []),
      ]}
    />
  );
}
