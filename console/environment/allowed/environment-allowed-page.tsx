import { useQuery } from '@tanstack/react-query';
import { useAnswer } from '../../client/live.ts';
import { Writes } from '../../parts/form/writes.tsx';
import { Panel, Waiting } from '../../parts/page/panel.tsx';
import { Raw } from '../../parts/page/raw.tsx';
import { Code } from '../../parts/text/code.tsx';
import { Text } from '../../parts/text/text.tsx';
import type { PageProps } from '../../routes/route.ts';
import styles from '../environment.module.css';
import { EnvironmentHead, useEnvironment } from '../environment-head.tsx';
import { allowForm } from '../forms.ts';
import { allowListSentence } from '../model/allow-list.ts';
import { commandsOfAllowList } from '../model/environment-commands.ts';
import { runningRows } from '../model/snapshot-rows.ts';
import { type Environment, everReported, type SnapshotRow } from '../operations.ts';
import { readRows } from '../reads.ts';
import { type environmentAllowedRoute, readAllowList } from '../routes.ts';
import { SentenceOf } from '../sentence-of.tsx';
import { Entries } from './entries.tsx';

type Props = PageProps<typeof environmentAllowedRoute>;

/** The artifacts that count as compliant in an environment whatever its policies say, and who allowed each and why. */
export default function EnvironmentAllowedPage({ params, search }: Props) {
  const environment = useEnvironment(params);
  const running = useRunning(params, environment);
  const shown = { params, search, running };
  return (
    <>
      <EnvironmentHead
        params={params}
        environment={environment}
        current="allowed"
        sentence={
          <SentenceOf otherwise="An artifact on the allow-list counts as compliant, whatever the policies say.">
            <Sentence {...shown} />
          </SentenceOf>
        }
      />
      <Panel
        title="Entries in force"
        note="each for one artifact, by fingerprint"
        rows={4}
        actions={<Writes org={params.org} writes={[allowForm(params.org, environment.name)]} />}
      >
        <Entries {...shown} />
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
      <Waiting rows={1}>
        <RawList {...shown} />
      </Waiting>
    </>
  );
}

/** What runs in the environment; undefined if nothing was reported, while it is read, and if it cannot be read. */
function useRunning(params: Props['params'], environment: Environment): readonly SnapshotRow[] | undefined {
  const { data } = useQuery({ ...readRows(params), enabled: everReported(environment) });
  return data && runningRows(data);
}

interface ShownProps extends Props {
  running: readonly SnapshotRow[] | undefined;
}

const Sentence = ({ params, search: { cursor }, running }: ShownProps) => (
  <Text>{allowListSentence(useAnswer(readAllowList(params, cursor)), cursor === undefined, running)}</Text>
);

const RawList = ({ params, search: { cursor } }: ShownProps) => (
  <Raw value={useAnswer(readAllowList(params, cursor))} path={`/allowlists/${params.org}/${params.env}`} />
);
