import { useAnswer } from '../../client/live.ts';
import { utcDay } from '../../model/time.ts';
import { PageLink } from '../../parts/link/link.tsx';
import { Empty } from '../../parts/page/empty.tsx';
import { Legend } from '../../parts/plot/legend.tsx';
import { Strip } from '../../parts/plot/strips.tsx';
import { useNow } from '../../parts/text/time.tsx';
import styles from '../expectation.module.css';
import { gapStretches } from '../model/gaps.ts';
import { readGapsAbout } from '../routes.ts';
import { GapTable } from './gap-table.tsx';

const PERIOD = 90 * 86_400;

/** What was missing of an environment, or of a flow and its trails: a strip with the holes, and the holes one by one. */
export default function SubjectGaps({ org, subject }: { org: string; subject: string }) {
  const { gaps, next_cursor: next } = useAnswer(readGapsAbout(org, subject));
  const now = useNow();
  if (gaps.length === 0) {
    return (
      <Empty
        sentence="Nothing that was expected has been missing."
        remedy={
          <PageLink page="expectations" params={{ org }}>
            What is expected
          </PageLink>
        }
      />
    );
  }
  // What was expected here, and since when, is not known, so the strip has the holes only.
  const period = { from: now - PERIOD, to: now };
  const holes = gapStretches(gaps, { ...period, since: now }).filter(({ state }) => state !== 'met');
  return (
    <>
      <div className={styles['strip']}>
        <Strip period={period} intervals={holes} />
      </div>
      <Legend
        states={[...new Set(holes.map(({ state }) => state))]}
        notes={[`from ${utcDay(period.from)} to now`, 'empty: nothing was found missing']}
      />
      <GapTable org={org} caption={`Gaps of ${subject}`} gaps={gaps} />
      {next !== null && (
        <PageLink page="gaps" params={{ org }} search={{ subject }}>
          All gaps
        </PageLink>
      )}
    </>
  );
}
