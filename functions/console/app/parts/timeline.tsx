import { useId, useMemo, useState } from 'react';
import { usePreferences } from '../client/preferences.ts';
import { STATES } from '../model/states.ts';
import { type Tick, ticksOf } from '../model/ticks.ts';
import { duration, shortTime } from '../model/time.ts';
import { blocksOf, type Interval, merged } from '../model/timeline.ts';
import { Button } from './button.tsx';
import { useKeys } from './keyboard.tsx';
import styles from './plot.module.css';
import { State } from './state.tsx';
import { Table } from './table.tsx';
import { Time, useNow } from './time.tsx';
import { useWidth } from './use-width.ts';

/** A stretch of the strip that the arrow keys step through, such as a snapshot. */
export interface Stretch extends Interval {
  key: string;
  /** What it is, for the read-out line: `#214`. */
  label: React.ReactNode;
  /** A link for the table and for Enter. */
  open?: () => void;
}

interface TimelineProps {
  /** What the strip shows, for screen readers: `State of prod`. */
  label: string;
  period: { from: number; to: number };
  /** In any order. Where there is none, nothing is known: the strip is hatched. */
  stretches: readonly Stretch[];
}

const HEIGHT = 28;

/**
 * The states of something over time, as a strip. Left and right step through the stretches, Enter opens one, and `t` shows
 * the same as a table, which is also what screen readers are told of. The line below says what the pointer or the keys
 * are at: it stands still, and hides nothing.
 */
export function Timeline({ label, period, stretches }: TimelineProps) {
  const [strip, width] = useWidth<SVGSVGElement>();
  const [at, setAt] = useState<number>();
  const [isTable, setTable] = useState(false);
  const ordered = useMemo(() => stretches.toSorted((a, b) => a.from - b.from), [stretches]);
  const blocks = useMemo(() => (width === 0 ? [] : blocksOf(merged(ordered), period, width)), [ordered, period, width]);
  const gap = useId();
  useKeys({ t: { does: 'Timeline as a table, and back', run: () => setTable(!isTable) } });

  const current = at === undefined ? undefined : ordered[at];
  const place = (time: number) => ((time - period.from) / (period.to - period.from)) * width;
  const find = (time: number) => ordered.findLastIndex(({ from, to }) => from <= time && time < Math.max(to, from + 1));
  const step = (by: number) =>
    setAt((before) => Math.min(Math.max((before ?? (by > 0 ? -1 : ordered.length)) + by, 0), ordered.length - 1));

  if (isTable) {
    return (
      <div className={styles['plot']}>
        <Switch isTable onClick={() => setTable(false)} />
        <StretchTable label={label} stretches={ordered.toReversed()} />
      </div>
    );
  }
  return (
    <div className={styles['plot']}>
      <svg
        ref={strip}
        className={`${styles['strip']} ${styles['focusable']}`}
        height={HEIGHT}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys step through the strip
        tabIndex={0}
        role="img"
        aria-label={`${label}. Left and right step through ${ordered.length} stretches, t shows a table.`}
        onPointerMove={({ clientX, currentTarget }) => {
          const { left, width: shown } = currentTarget.getBoundingClientRect();
          const found = find(period.from + ((clientX - left) / shown) * (period.to - period.from));
          setAt(found < 0 ? undefined : found);
        }}
        onPointerLeave={() => setAt(undefined)}
        onClick={() => current?.open?.()}
        onKeyDown={(event) => {
          if (event.key === 'ArrowRight') step(1);
          else if (event.key === 'ArrowLeft') step(-1);
          else if (event.key === 'Home') setAt(0);
          else if (event.key === 'End') setAt(ordered.length - 1);
          else if (event.key === 'Enter') current?.open?.();
          else return;
          event.preventDefault();
        }}
      >
        <Hatching id={gap} />
        <rect className={styles['ground']} width="100%" height={HEIGHT} rx="3" />
        <rect width="100%" height={HEIGHT} rx="3" fill={`url(#${gap})`} />
        {blocks.map(({ x, width: columns, state }) => (
          <rect
            key={x}
            className={styles['block']}
            data-tone={STATES[state].tone}
            x={x}
            width={columns}
            // Shape, too: what is not compliant is as high as the strip, the rest is lower.
            y={STATES[state].tone === 'bad' ? 0 : 5}
            height={STATES[state].tone === 'bad' ? HEIGHT : HEIGHT - 10}
          />
        ))}
        {current && (
          <rect
            className={styles['cursor']}
            x={Math.max(0, place(current.from))}
            width={Math.max(2, place(Math.min(current.to, period.to)) - Math.max(0, place(current.from)))}
            y={1}
            height={HEIGHT - 2}
            rx="2"
          />
        )}
      </svg>
      <Axis ticks={ticksOf(period, Math.max(2, Math.floor(width / 90)))} place={place} />
      <div className={styles['foot']}>
        <div className={styles['read']} aria-live="polite">
          {current ? (
            <ReadOut stretch={current} />
          ) : (
            <span className={styles['hint']}>Point at the strip, or step through it with the arrow keys.</span>
          )}
        </div>
        <Switch isTable={false} onClick={() => setTable(true)} />
      </div>
    </div>
  );
}

/** The ground where nothing is known. */
export const Hatching = ({ id }: { id: string }) => (
  <defs>
    <pattern id={id} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
      <path className={styles['grid']} d="M0 0V6" />
    </pattern>
  </defs>
);

export const Axis = ({ ticks, place }: { ticks: readonly Tick[]; place: (at: number) => number }) => (
  <svg className={styles['strip']} height="14" aria-hidden="true">
    {ticks.map(({ at, label }) => (
      <text key={at} className={styles['tick']} x={place(at)} y="11">
        {label}
      </text>
    ))}
  </svg>
);

const Switch = ({ isTable, onClick }: { isTable: boolean; onClick: () => void }) => (
  <span className={styles['switch']}>
    <Button look="plain" onClick={onClick}>
      {isTable ? 'Show as a strip' : 'Show as a table'}
    </Button>
  </span>
);

function ReadOut({ stretch: { label, from, to, state } }: { stretch: Stretch }) {
  const { zone } = usePreferences();
  const now = useNow();
  return (
    <>
      <strong>{label}</strong>
      <State state={state} />
      <span>
        {shortTime(from, now, zone)} to {to >= now - 60 ? 'now' : shortTime(to, now, zone)}
      </span>
      <span className={styles['hint']}>{duration(to - from)}</span>
    </>
  );
}

const StretchTable = ({ label, stretches }: { label: string; stretches: readonly Stretch[] }) => (
  <Table
    caption={label}
    rows={stretches}
    keyOf={({ key }) => key}
    columns={[
      {
        head: 'What',
        cell: ({ label: text, open }) =>
          open ? (
            <Button look="plain" onClick={open}>
              {text}
            </Button>
          ) : (
            text
          ),
      },
      { head: 'State', fit: true, cell: ({ state }) => <State state={state} /> },
      { head: 'From', fit: true, cell: ({ from }) => <Time at={from} /> },
      { head: 'To', fit: true, cell: ({ to }) => <Time at={to} /> },
      { head: 'For', fit: true, align: 'end', cell: ({ from, to }) => duration(to - from) },
    ]}
  />
);
