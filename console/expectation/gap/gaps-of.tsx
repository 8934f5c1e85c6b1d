import { useAnswer } from '../../client/live.ts';
import { utcDay } from '../../model/time.ts';
import { PageLink } from '../../parts/link/link.tsx';
import { Legend } from '../../parts/plot/legend.tsx';
import { Strip } from '../../parts/plot/strips.tsx';
import { useNow } from '../../parts/text/time.tsx';
import styles from '../expectation.module.css';
import { gapStretches } from '../model/gaps.ts';
import type { Expectation } from '../operations.ts';
import { readGapsOf } from '../routes.ts';
import { GapTable } from './gap-table.tsx';

const PERIOD = 90 * 86_400;

interface GapsOfProps {
  org: string;
  expectation: Pick<Expectation, 'name' | 'starts_at' | 'created_at'>;
}

/** When anything of an expectation was missing: a strip with the holes, and the holes one by one. */
export function GapsOf({ org, expectation: { name, starts_at: starts, created_at: created } }: GapsOfProps) {
  const { gaps, next_cursor: next } = useAnswer(readGapsOf({ org, expectation: name }));
  const now = useNow();
  // Gaps before the last one of the page are not known.
  const known = next === null ? 0 : (gaps.at(-1)?.from ?? 0);
  const period = { from: Math.max(now - PERIOD, Math.min(starts, created), known), to: now };
  const stretches = gapStretches(gaps, { ...period, since: Math.max(starts, created) });
  return (
    <>
      <div className={styles['strip']}>
        <Strip period={period} intervals={stretches} />
      </div>
      <Legend
        states={[...new Set(stretches.map(({ state }) => state))]}
        notes={[`from ${utcDay(period.from)} to now`]}
      />
      {gaps.length === 0 ? (
        <p>Nothing was missing since then.</p>
      ) : (
        <GapTable org={org} caption="Gaps of the expectation" gaps={gaps} isOfOne />
      )}
      {next !== null && (
        <PageLink page="gaps" params={{ org }} search={{ expectation: name }}>
          All gaps of it
        </PageLink>
      )}
    </>
  );
}
