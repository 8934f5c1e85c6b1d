import { useId, useMemo, useState } from 'react';
import { usePreferences } from '../../client/preferences.ts';
import { STATES } from '../../model/states.ts';
import { duration, shortTime } from '../../model/time.ts';
import { Button } from '../control/button.tsx';
import { useKeys } from '../keys/keyboard.tsx';
import { Table } from '../table/table.tsx';
import { State } from '../text/state.tsx';
import { Time, useNow } from '../text/time.tsx';
import { Axis, placeIn } from './axis.tsx';
import { Legend } from './legend.tsx';
import { ticksOf } from './model/ticks.ts';
import type { Period } from './model/timeline.ts';
import { blocksOf, type Interval, merged } from './model/timeline.ts';
import { panned, selected, showing, zoomed } from './model/view.ts';
import styles from './plot.module.css';
import { Hatching } from './strips.tsx';
import { useWidth } from './use-width.ts';

/** A stretch of the strip that the arrow keys step through, such as a snapshot. */
interface Stretch extends Interval {
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
 * the same as a table, which is also what screen readers get. Keys, buttons and dragging zoom. The line below says
 * what the pointer or the keys are at: it stands still, and hides nothing.
 */
export function Timeline({ label, period, stretches }: TimelineProps) {
  const [isTable, setTable] = useState(false);
  const [view, setView] = useState<Period>();
  const ordered = useMemo(() => stretches.toSorted((a, b) => a.from - b.from), [stretches]);
  useKeys({ t: { does: 'Timeline as a table, and back', run: () => setTable(!isTable) } });
  if (isTable) {
    return (
      <div className={styles['plot']}>
        <Switch isTable onClick={() => setTable(false)} />
        <StretchTable label={label} stretches={ordered.toReversed()} />
      </div>
    );
  }
  return (
    <Plot
      label={label}
      whole={period}
      stretches={ordered}
      view={view}
      setView={setView}
      onTable={() => setTable(true)}
    />
  );
}

interface PlotProps {
  label: string;
  whole: Period;
  stretches: readonly Stretch[];
  /** The part that is shown; undefined for the whole period, which grows with the time. */
  view: Period | undefined;
  setView: (view: Period | undefined) => void;
  onTable: () => void;
}

/** How much one key or button zooms and moves. */
const ZOOM = 0.5;
const PAN = 0.5;
/** Pixels from which a movement of the pointer marks a part. */
const DRAG = 6;

function Plot({ label, whole, stretches, view, setView, onTable }: PlotProps) {
  const [strip, width] = useWidth<SVGSVGElement>();
  const [at, setAt] = useState<number>();
  const [drag, setDrag] = useState<{ from: number; to: number }>();
  const gap = useId();
  const shown = view ?? whole;
  const { from, to } = shown;
  const blocks = useMemo(
    () => (width === 0 ? [] : blocksOf(merged(stretches), { from, to }, width)),
    [stretches, from, to, width],
  );
  const shownStates = useMemo(() => [...new Set(stretches.map(({ state }) => state))], [stretches]);
  const current = at === undefined ? undefined : stretches[at];
  const place = placeIn(shown);
  const timeAt = (clientX: number): number => {
    const { left, width: drawn } = strip.current?.getBoundingClientRect() ?? { left: 0, width: 1 };
    return from + ((clientX - left) / drawn) * (to - from);
  };
  const stepTo = (index: number): void => {
    const next = Math.min(Math.max(index, 0), stretches.length - 1);
    const stretch = stretches[next];
    setAt(next);
    if (stretch && view) setView(showing(view, whole, stretch));
  };
  const zoom = (factor: number): void => {
    const middle = current && (Math.max(current.from, from) + Math.min(current.to, to)) / 2;
    const next = zoomed(shown, whole, factor, middle);
    setView(next.to - next.from >= whole.to - whole.from ? undefined : next);
  };
  const pan = (part: number): void => view && setView(panned(view, whole, part));
  const keys: Readonly<Record<string, () => void>> = {
    ArrowRight: () => stepTo((at ?? -1) + 1),
    ArrowLeft: () => stepTo((at ?? stretches.length) - 1),
    'Shift+ArrowRight': () => pan(PAN),
    'Shift+ArrowLeft': () => pan(-PAN),
    Home: () => stepTo(0),
    End: () => stepTo(stretches.length - 1),
    Enter: () => current?.open?.(),
    '+': () => zoom(ZOOM),
    '=': () => zoom(ZOOM),
    '-': () => zoom(1 / ZOOM),
    '0': () => setView(undefined),
  };
  return (
    <div className={styles['plot']}>
      <svg
        ref={strip}
        className={`${styles['strip']} ${styles['focusable']}`}
        height={HEIGHT}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys step through the strip
        tabIndex={0}
        role="img"
        aria-label={`${label}. Left and right step through ${stretches.length} stretches, plus and minus zoom, shift with left and right moves, 0 shows all, t shows a table.`}
        onPointerDown={({ clientX, currentTarget, pointerId }) => {
          currentTarget.setPointerCapture(pointerId);
          setDrag({ from: clientX, to: clientX });
        }}
        onPointerMove={({ clientX }) => {
          if (drag) setDrag({ ...drag, to: clientX });
          const time = timeAt(clientX);
          const found = stretches.findLastIndex((one) => one.from <= time && time < Math.max(one.to, one.from + 1));
          setAt(found < 0 ? undefined : found);
        }}
        onPointerUp={() => {
          setDrag(undefined);
          if (!drag) return;
          if (Math.abs(drag.to - drag.from) < DRAG) current?.open?.();
          else setView(selected(timeAt(drag.from), timeAt(drag.to), whole));
        }}
        onPointerCancel={() => setDrag(undefined)}
        onPointerLeave={() => setAt(undefined)}
        onKeyDown={(event) => {
          const run = keys[`${event.shiftKey && event.key.startsWith('Arrow') ? 'Shift+' : ''}${event.key}`];
          if (!run || event.ctrlKey || event.metaKey || event.altKey) return;
          run();
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
            x={`${(100 * x) / width}%`}
            width={`${(100 * columns) / width}%`}
            // Shape, too: what is not compliant is as high as the strip, the rest is lower.
            y={STATES[state].tone === 'bad' ? 0 : 5}
            height={STATES[state].tone === 'bad' ? HEIGHT : HEIGHT - 10}
          />
        ))}
        {current && <Outline from={place(current.from)} to={place(current.to)} />}
        {drag && Math.abs(drag.to - drag.from) >= DRAG && (
          <Outline from={place(timeAt(drag.from))} to={place(timeAt(drag.to))} />
        )}
      </svg>
      <Axis ticks={ticksOf(shown, Math.max(1, Math.floor(width / 110)))} place={place} />
      <Legend states={shownStates} notes={['hatched: nothing known', 'time in UTC']} />
      <div className={styles['foot']}>
        <div className={styles['read']} aria-live="polite">
          {current ? (
            <ReadOut stretch={current} />
          ) : (
            <span className={styles['hint']}>Point at the strip, or step through it with the arrow keys.</span>
          )}
        </div>
        <span className={styles['controls']}>
          <Button look="plain" onClick={() => zoom(ZOOM)}>
            Zoom in
          </Button>
          {view && (
            <>
              <Button look="plain" onClick={() => zoom(1 / ZOOM)}>
                Zoom out
              </Button>
              <Button look="plain" onClick={() => pan(-PAN)}>
                Earlier
              </Button>
              <Button look="plain" onClick={() => pan(PAN)}>
                Later
              </Button>
              <Button look="plain" onClick={() => setView(undefined)}>
                Show all
              </Button>
            </>
          )}
          <Switch isTable={false} onClick={onTable} />
        </span>
      </div>
    </div>
  );
}

/** An outline around a part of the strip; the rest of it that is outside of the view is cut off. */
function Outline({ from, to }: { from: number; to: number }) {
  const [left, right] = [Math.max(0, Math.min(from, to)), Math.min(100, Math.max(from, to))];
  if (right < 0 || left > 100) return null;
  return (
    <rect
      className={styles['cursor']}
      x={`${left}%`}
      width={`${Math.max(0.3, right - left)}%`}
      y={1}
      height={HEIGHT - 2}
      rx="2"
    />
  );
}

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

/** The stretches of a timeline as rows. */
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
