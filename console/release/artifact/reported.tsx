import { CatchBoundary } from '@tanstack/react-router';
import { Suspense } from 'react';
import { shortName } from '#shared/base/reasons/artifact-name.ts';
import { useAnswer, useLiveAnswer, useRefreshOn } from '../../client/live.ts';
import { usePreferences } from '../../client/preferences.ts';
import { type StateName, stateOfWord } from '../../model/states.ts';
import { DownloadEvidence } from '../../package/download-evidence.tsx';
import { OutLink, PageLink } from '../../parts/link/link.tsx';
import { Panel } from '../../parts/page/panel.tsx';
import { Raw } from '../../parts/page/raw.tsx';
import { usePresentName } from '../../parts/page/use-present-name.ts';
import { VerdictLine } from '../../parts/page/verdict-line.tsx';
import { Id } from '../../parts/text/id.tsx';
import { State } from '../../parts/text/state.tsx';
import { Text } from '../../parts/text/text.tsx';
import { Time } from '../../parts/text/time.tsx';
import { Author } from '../../people/author.tsx';
import { LogPanel } from '../../proof/log-proof.tsx';
import type { ParamsOf } from '../../routes/params.ts';
import { overridesSentence } from '../../trail/model/override.ts';
import { flowTrails } from '../../trail/operations.ts';
import { artifactSentence } from '../model/artifact.ts';
import { isRefused, releaseSentence } from '../model/release.ts';
import { environmentAssertions, flowArtifacts } from '../operations.ts';
import { readArtifact, readVerdicts } from '../routes.ts';
import styles from './artifact.module.css';
import { Evidence } from './evidence.tsx';
import { Neighbours } from './neighbours.tsx';
import { Origin } from './origin.tsx';
import { Release } from './release.tsx';
import { ReleaseLane } from './release-lane.tsx';
import { WhereItRan } from './where-it-ran.tsx';

interface ReportedProps {
  params: ParamsOf<'artifact'>;
  /** The report that the address means; absent for the latest one. */
  artifactId: string | undefined;
}

/** An artifact that a flow has a report of. */
export function Reported({ params, artifactId }: ReportedProps) {
  const { org, flow, fingerprint } = params;
  const artifact = useLiveAnswer(readArtifact(params), 10);
  usePresentName('flow', flow, artifact.flow_name);
  useRefreshOn(`${artifact.state} ${artifact.artifact_id} ${artifact.history.length}`, [
    [environmentAssertions.path, { org, fingerprint }],
    [flowTrails.path, { org, flow }],
    [flowArtifacts.path, { org, flow }],
  ]);
  const name = shortName(artifact.filename) || artifact.template_reference_name;
  const state = stateOfWord(artifact.state);
  return (
    <>
      <VerdictLine
        kind="Artifact"
        subject={name}
        context={flow}
        state={state}
        chip={
          <CatchBoundary getResetKey={() => fingerprint} errorComponent={() => <State state={state} chip />}>
            <Suspense fallback={<State state={state} chip />}>
              <ReleaseChip params={params} state={state} />
            </Suspense>
          </CatchBoundary>
        }
        sentence={
          <CatchBoundary
            getResetKey={() => fingerprint}
            errorComponent={() => <Text>{artifactSentence(artifact)}</Text>}
          >
            <Sentence params={params} name={name} />
          </CatchBoundary>
        }
        description={artifact.description}
        actions={<DownloadEvidence org={org} scope={{ type: 'artifact', flow: artifact.flow_name, fingerprint }} />}
        facts={[
          <Id key="fingerprint" what="fingerprint">
            {artifact.fingerprint}
          </Id>,
          <PageLink key="trail" page="trail" params={{ org, flow, trail: artifact.trail_name }}>
            trail <Text>{artifact.trail_name}</Text> of <Text>{flow}</Text>
          </PageLink>,
          <span key="reported">
            reported <Time at={artifact.created_at} /> by{' '}
            <Author name={artifact.created_by} identity={artifact.identity} />
          </span>,
          ...(artifact.build_url
            ? [
                <OutLink key="build" href={artifact.build_url}>
                  build
                </OutLink>,
              ]
            : []),
          ...(artifact.commit_url
            ? [
                <OutLink key="commit" href={artifact.commit_url}>
                  commit
                </OutLink>,
              ]
            : []),
        ]}
      />
      {artifactId !== undefined && artifactId !== artifact.artifact_id && (
        <p className={styles['note']}>
          The address names an older report of this artifact. The page shows the latest one, of trail{' '}
          <Text>{artifact.trail_name}</Text>.
        </p>
      )}
      <Panel title="May it be released?" note="the verdict that each environment would give now" rows={5}>
        <Release params={params} artifact={name} />
      </Panel>
      <Panel title="The way to production" note="from the commit to where it started first" rows={4}>
        <ReleaseLane params={params} artifact={artifact} />
      </Panel>
      <Panel title="Where it ran" note="from its report to now">
        <WhereItRan org={org} history={artifact.history} reported={artifact.created_at} starts={artifact.starts} />
      </Panel>
      <Panel title="Evidence" note="of the artifact and of its trail" rows={5}>
        <Evidence params={params} trail={artifact.trail_name} />
      </Panel>
      <Panel title="Before and after" note="artifacts of the flow with the same name in the template">
        <Neighbours params={params} artifact={artifact} />
      </Panel>
      <Panel title="Origin">
        <Origin org={org} artifact={artifact} />
      </Panel>
      <LogPanel key={artifact.artifact_id} record={{ kind: 'artifact', org, artifact }} of="the report" />
      <Raw value={artifact} path={`/artifacts/${org}/${flow}/fingerprint/${artifact.fingerprint}`} />
    </>
  );
}

/** «No» if an environment refuses the artifact. Otherwise the verdict of its trail. */
function ReleaseChip({ params, state }: { params: ParamsOf<'artifact'>; state: StateName }) {
  const { environments } = useAnswer(readVerdicts(params));
  if (!isRefused(environments)) return <State state={state} chip />;
  return (
    <State state="non-compliant" chip>
      No
    </State>
  );
}

/** May it be released, and why not; and which verdicts it rests on that somebody replaced. */
function Sentence({ params, name }: { params: ParamsOf<'artifact'>; name: string }) {
  const { zone } = usePreferences();
  const { environments, overrides } = useAnswer(readVerdicts(params));
  return <Text>{`${releaseSentence(name, environments)} ${overridesSentence(overrides, zone)}`.trimEnd()}</Text>;
}
