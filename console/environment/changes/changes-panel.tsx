import { useAnswer } from '../../client/live.ts';
import { usePreferences } from '../../client/preferences.ts';
import { paginationOf } from '../../model/pages.ts';
import { shortTime } from '../../model/time.ts';
import { Button } from '../../parts/control/button.tsx';
import { PageLink } from '../../parts/link/link.tsx';
import { Empty } from '../../parts/page/empty.tsx';
import { Panel } from '../../parts/page/panel.tsx';
import { Raw } from '../../parts/page/raw.tsx';
import { Lanes } from '../../parts/plot/lanes.tsx';
import { Pager } from '../../parts/table/pager.tsx';
import { Text } from '../../parts/text/text.tsx';
import { useNow } from '../../parts/text/time.tsx';
import type { PageProps } from '../../routes/route.ts';
import { changedName, changesSentence, laneOf } from '../model/changes.ts';
import { changesOfPeriod, type EnvironmentChanges } from '../operations.ts';
import type { environmentRoute } from '../routes.ts';
import { ChangeTable, Told } from './change-table.tsx';
import styles from './changes.module.css';
import { PeriodChoices } from './period-choices.tsx';
import { readChanges } from './reads.ts';

/** Lanes of the picture. More would not fit a screen; the table has all of them. */
const MOST_LANES = 20;

/** What changed in an environment since an instant: as a sentence, as lanes on a time axis, and as a table. */
export function ChangesPanel({ params, search }: PageProps<typeof environmentRoute>) {
  const { org, env } = params;
  const changes = changesOfPeriod(useAnswer(readChanges(params, search)));
  const now = useNow();
  const { zone } = usePreferences();
  const { from, to } = changes;
  const period = `${shortTime(from, now, zone)} to ${search.to === undefined ? 'now' : shortTime(to, now, zone)}`;
  return (
    <>
      <PeriodChoices params={params} search={search} changes={changes} />
      <Panel title="What changed" note={period} actions={<Button onClick={() => print()}>Print</Button>}>
        <p className={styles['first']}>
          <Text>{changesSentence(changes, shortTime(from, now, zone))}</Text>
        </p>
        {changes.changes.length === 0 ? (
          <Empty
            sentence="The same artifacts run at both ends of this period, with the same verdicts."
            remedy="Choose a longer period, or look at the events for what happened in between."
          />
        ) : (
          <>
            <Picture changes={changes} />
            <ChangeTable params={params} changes={changes.changes} />
            <Pager
              pagination={paginationOf(changes)}
              page="environment"
              params={params}
              search={{ from: search.from, to: search.to }}
            />
          </>
        )}
      </Panel>
      {changes.notified.length > 0 && (
        <Panel title="Who was told about the verdict">
          <Told org={org} notified={changes.notified} />
        </Panel>
      )}
      {!changes.notified_complete && (
        <p className={styles['quiet']}>
          Only the newest deliveries were read.{' '}
          <PageLink page="deliveries" params={{ org }} search={{ environment: env }}>
            All deliveries of this environment
          </PageLink>
        </p>
      )}
      <Raw value={changes} path={`/env-diff/${org}?environment=${env}&from=${from}&to=${to}`} />
    </>
  );
}

function Picture({ changes }: { changes: EnvironmentChanges }) {
  const period = { from: changes.from, to: changes.to };
  return (
    <div className={styles['lanes']}>
      <Lanes
        period={period}
        lanes={changes.changes.slice(0, MOST_LANES).map((change, n) => ({
          key: String(n),
          label: <Text>{changedName(change)}</Text>,
          intervals: laneOf(change, period),
        }))}
      />
    </div>
  );
}
