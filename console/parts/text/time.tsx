import { useEffect, useSyncExternalStore } from 'react';
import { usePreferences } from '../../client/preferences.ts';
import { ago, asSeconds, fullTime, shortTime, type Zone } from '../../model/time.ts';

/** One clock for all times of a page, so that they change together. It ticks every ten seconds. */
const TICK = 10_000;
let now = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const one of listeners) one();
  }, TICK);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The present time in seconds. */
export function useNow(): number {
  useEffect(() => {
    now = Date.now();
  }, []);
  return useSyncExternalStore(subscribe, () => Math.floor(now / TICK) * TICK) / 1000;
}

interface TimeProps {
  /** Seconds since 1970. */
  at: number | null | undefined;
  /** `ago` is «3 h ago»; `short` is «22 Nov 09:14»; `full` has year and seconds. */
  show?: 'ago' | 'short' | 'full';
  /** The zone of a page that has one zone for everything. By default the reader's choice. */
  zone?: Zone;
  /** Shown instead of a time that is absent. */
  never?: string;
}

/** A time. The tooltip says it in the zone of the browser and in UTC. */
export function Time({ at, show = 'short', zone: given, never = '–' }: TimeProps) {
  const { zone: chosen } = usePreferences();
  const zone = given ?? chosen;
  const current = useNow();
  const seconds = asSeconds(at);
  if (seconds === null) return <>{never}</>;
  const text =
    show === 'ago'
      ? ago(seconds, Math.max(current, Math.min(seconds, Date.now() / 1000)))
      : show === 'short'
        ? shortTime(seconds, current, zone)
        : fullTime(seconds, zone);
  return (
    <time
      dateTime={new Date(seconds * 1000).toISOString()}
      title={`${fullTime(seconds, 'local')} local · ${fullTime(seconds, 'utc')}`}
    >
      {text}
    </time>
  );
}
