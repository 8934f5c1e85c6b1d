import { useAnswer } from '../../client/live.ts';
import { commandsOfAllowList } from '../../model/environment-commands.ts';
import { allowedSentence, runningRows, stateOfRow } from '../../model/snapshot-rows.ts';
import { Code } from '../../parts/code.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Panel } from '../../parts/panel.tsx';
import { RowsOf } from '../../parts/snapshot-row-table.tsx';
import styles from '../environment/environment.module.css';
import { EnvironmentHead, useEnvironment } from '../environment/environment-head.tsx';
import { readRows } from '../environment/reads.ts';
import { SentenceOf } from '../environment/sentence-of.tsx';
import type { PageProps, ParamsOf } from '../route.ts';
import type { environmentAllowedRoute } from './route.ts';

/** The artifacts that count as compliant in an environment whatever its policies say. */
export default function EnvironmentAllowedPage({ params }: PageProps<typeof environmentAllowedRoute>) {
  const environment = useEnvironment(params);
  const hasSnapshot = environment.last_changed_at !== null;
  return (
    <>
      <EnvironmentHead
        params={params}
        environment={environment}
        current="allowed"
        sentence={
          hasSnapshot ? (
            <SentenceOf otherwise="An artifact on the allow-list counts as compliant, whatever the policies say.">
              <Sentence params={params} />
            </SentenceOf>
          ) : (
            'Nothing was reported yet, so no artifact of the allow-list runs here.'
          )
        }
      />
      <Panel title="Allowed artifacts that run now" rows={2}>
        {hasSnapshot ? <Allowed params={params} /> : <Empty sentence="Nothing runs here yet." />}
      </Panel>
      <Panel title="Allow an artifact" note="the reason is kept for audits">
        <div className={styles['stack']}>
          {commandsOfAllowList({ host: location.origin, ...params }).map(({ what, text }) => (
            <Code key={what} what={what} wrap>
              {text}
            </Code>
          ))}
        </div>
      </Panel>
    </>
  );
}

type Params = ParamsOf<'environment-allowed'>;

const Sentence = ({ params }: { params: Params }) => <>{allowedSentence(runningRows(useAnswer(readRows(params))))}</>;

function Allowed({ params }: { params: Params }) {
  const rows = runningRows(useAnswer(readRows(params))).filter((row) => stateOfRow(row) === 'allowed');
  return rows.length === 0 ? (
    <Empty
      sentence="No running artifact is on the allow-list."
      remedy="The audit log lists every entry, also those of artifacts that do not run."
    />
  ) : (
    <RowsOf org={params.org} rows={rows} />
  );
}
