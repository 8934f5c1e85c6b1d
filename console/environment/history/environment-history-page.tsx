import { CatchBoundary, useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useMay } from '../../account/user.ts';
import { useAnswer } from '../../client/live.ts';
import { paginationOf } from '../../model/pages.ts';
import { DownloadEvidence } from '../../package/download-evidence.tsx';
import { Button } from '../../parts/control/button.tsx';
import { PageLink } from '../../parts/link/link.tsx';
import { Empty } from '../../parts/page/empty.tsx';
import { Panel, Waiting } from '../../parts/page/panel.tsx';
import { Raw } from '../../parts/page/raw.tsx';
import { Strip } from '../../parts/plot/strips.tsx';
import { Pager } from '../../parts/table/pager.tsx';
import { Code } from '../../parts/text/code.tsx';
import { Text } from '../../parts/text/text.tsx';
import type { PageProps } from '../../routes/route.ts';
import { EnvironmentHead, useEnvironment } from '../environment-head.tsx';
import { commandOfExport } from '../model/environment-commands.ts';
import { historyCsv, historySentence, isoDay, periodOf, periodText, worstOverTime } from '../model/history.ts';
import { isLogical } from '../operations.ts';
import { type environmentHistoryRoute, readHistory } from '../routes.ts';
import styles from './history.module.css';
import { PeriodForm } from './period-form.tsx';
import { RunTable } from './run-table.tsx';
import { saveFile } from './save-file.ts';
import { SavePackage } from './save-package.tsx';

type Props = PageProps<typeof environmentHistoryRoute>;

/** What ran in an environment during a period: for audits. The address names the period, so it can be cited. */
export default function EnvironmentHistoryPage({ params, search }: Props) {
  const environment = useEnvironment(params);
  useNamedPeriod(search);
  const logical = isLogical(environment);
  return (
    <>
      <EnvironmentHead
        params={params}
        environment={environment}
        current="history"
        sentence={
          logical ? (
            'A logical environment has no history of its own: its members have.'
          ) : (
            <CatchBoundary getResetKey={() => JSON.stringify(search)} errorComponent={() => null}>
              <Sentence params={params} search={search} />
            </CatchBoundary>
          )
        }
      />
      {logical ? (
        <Panel title="Members">
          <ul className={styles['members']}>
            {(environment.included_environments ?? []).map((env) => (
              <li key={env}>
                <PageLink page="environment-history" params={{ org: params.org, env }} row>
                  <Text>{env}</Text>
                </PageLink>
              </li>
            ))}
          </ul>
        </Panel>
      ) : (
        <>
          <PeriodForm params={params} search={search} />
          <Waiting key={JSON.stringify(search)} rows={10}>
            <Runs params={params} search={search} />
          </Waiting>
        </>
      )}
    </>
  );
}

/** Writes the period into an address that names none, because a working paper cites the address. */
function useNamedPeriod({ from, to }: Props['search']): void {
  const navigate = useNavigate();
  const isNamed = from !== undefined && to !== undefined;
  useEffect(() => {
    if (isNamed) return;
    const period = periodOf({ from, to }, Date.now() / 1000);
    const named = { from: from ?? isoDay(period.from), to: to ?? isoDay(period.to) };
    void navigate({
      to: '.',
      search: (before) => ({ ...before, ...named }),
      replace: true,
      resetScroll: false,
    });
  }, [navigate, isNamed, from, to]);
}

const Sentence = ({ params, search }: Props) => <Text>{historySentence(useAnswer(readHistory(params, search)))}</Text>;

function Runs({ params, search }: Props) {
  const { org, env } = params;
  const mayExport = useMay(org, 'admin');
  const history = useAnswer(readHistory(params, search));
  const { artifacts, start_ts: from, end_ts: to, totals, complete } = history;
  const period = { from, to };
  const isWhole = totals.runs <= artifacts.length;
  const file = `${env}-${isoDay(from)}-${isoDay(to)}.csv`;
  if (totals.runs === 0) {
    return (
      <Empty
        sentence={`Nothing ran in that time (${periodText(period)}, UTC).`}
        remedy="Choose a longer period, or look at the states over time to see when the first report came."
      />
    );
  }
  return (
    <>
      <Panel
        title="What ran"
        note={`${periodText(period)} (UTC)`}
        actions={
          <span className={styles['actions']}>
            <Button onClick={() => saveFile(file, 'text/csv', historyCsv(artifacts, period))}>
              Save as CSV{isWhole ? '' : ' (this page)'}
            </Button>
            <DownloadEvidence
              org={params.org}
              scope={{
                type: 'period',
                environment: history.environment,
                start_ts: history.start_ts,
                end_ts: history.end_ts,
              }}
            />
            <SavePackage params={params} history={history} />
            <Button onClick={() => print()}>Print</Button>
          </span>
        }
      >
        {!complete && (
          <p className={styles['note']}>
            The list may be incomplete: the newest events are not written yet, or the content of the first snapshot was
            erased.
          </p>
        )}
        {isWhole && (
          <div className={styles['strip']}>
            <span>All artifacts</span>
            <Strip period={period} intervals={worstOverTime(artifacts, period)} />
          </div>
        )}
        <RunTable org={org} env={env} runs={artifacts} period={period} />
        <Pager
          pagination={paginationOf(history)}
          page="environment-history"
          params={params}
          search={{ from: search.from, to: search.to }}
        />
      </Panel>
      {mayExport && (
        <Panel title="Evidence for an audit" note="administrators start an export; its answer says where to get it">
          <Code what="Export the whole organization as one archive that proves itself" wrap>
            {commandOfExport({ host: location.origin, org })}
          </Code>
        </Panel>
      )}
      <Raw
        value={artifacts.length > 500 ? { ...history, artifacts: `${artifacts.length} rows` } : history}
        path={`/environments/${org}/${env}/artifacts?start_ts=${from}&end_ts=${to}`}
      />
    </>
  );
}
