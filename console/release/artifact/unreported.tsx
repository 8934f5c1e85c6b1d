import { CatchBoundary } from '@tanstack/react-router';
import { Suspense } from 'react';
import { shortName } from '#shared/base/reasons/artifact-name.ts';
import type { ApiProblem } from '../../client/api-problem.ts';
import { useAnswer } from '../../client/live.ts';
import { read } from '../../client/query-client.ts';
import { PageLink } from '../../parts/link/link.tsx';
import { Empty } from '../../parts/page/empty.tsx';
import { ErrorPanel } from '../../parts/page/error-panel.tsx';
import { Panel } from '../../parts/page/panel.tsx';
import { PageSkeleton } from '../../parts/page/skeleton.tsx';
import { VerdictLine } from '../../parts/page/verdict-line.tsx';
import { Id } from '../../parts/text/id.tsx';
import { Text } from '../../parts/text/text.tsx';
import { useNow } from '../../parts/text/time.tsx';
import type { ParamsOf } from '../../routes/params.ts';
import { searchDigest } from '../../search/operations.ts';
import { runsText, runTimesOf } from '../model/artifact-runs.ts';
import styles from './artifact.module.css';
import { Release } from './release.tsx';
import { WhereItRan } from './where-it-ran.tsx';

interface UnreportedProps {
  params: ParamsOf<'artifact'>;
  /** What the API answered about the artifact in the flow of the address. */
  problem: ApiProblem;
}

const DIGEST = /^[0-9a-f]{64}$/;

/** An artifact that the flow of the address has no report of. It may run all the same, or belong to another flow. */
export function Unreported({ params, problem }: UnreportedProps) {
  const { fingerprint } = params;
  const unknown = () => (
    <>
      <VerdictLine
        kind="Artifact"
        subject={fingerprint.slice(0, 12)}
        sentence="Nothing is known of such an artifact."
      />
      <ErrorPanel error={problem} />
    </>
  );
  if (!DIGEST.test(fingerprint)) return unknown();
  return (
    <CatchBoundary getResetKey={() => fingerprint} errorComponent={unknown}>
      <Suspense fallback={<PageSkeleton />}>
        <Known params={params} />
      </Suspense>
    </CatchBoundary>
  );
}

/** What the organization knows of the digest. */
function Known({ params }: { params: ParamsOf<'artifact'> }) {
  const { org, flow, fingerprint } = params;
  const now = useNow();
  const { artifacts } = useAnswer(read(searchDigest, { org, sha: fingerprint }));
  const [first] = artifacts;
  const others = artifacts.filter(({ has_provenance: isReported }) => isReported);
  const runs = runTimesOf(first?.history ?? []);
  const name = first?.name ? shortName(first.name) : fingerprint.slice(0, 12);
  return (
    <>
      <VerdictLine
        kind="Artifact"
        subject={name}
        context={flow}
        state="unknown"
        sentence={
          <Text>
            {others.length > 0
              ? `The flow ${flow} has no report of this artifact. Other flows have one.`
              : `Without provenance: nobody reported a build of it. ${runsText(runs, now)}`}
          </Text>
        }
        facts={[
          <Id key="fingerprint" what="fingerprint">
            {fingerprint}
          </Id>,
        ]}
      />
      {others.length > 0 && (
        <Panel title="Reported in">
          <p className={styles['line']}>
            {others.map((one) => (
              <PageLink key={one.flow} page="artifact" params={{ org, flow: one.flow, fingerprint }}>
                <Text>{one.flow}</Text>
              </PageLink>
            ))}
          </p>
        </Panel>
      )}
      <Panel title="May it be released?" note="the verdict that each environment would give now" rows={5}>
        <Release params={params} artifact={name} />
      </Panel>
      <Panel title="Where it ran">
        {first ? (
          <WhereItRan org={org} history={first.history} reported={now} />
        ) : (
          <Empty sentence="No environment has reported it." />
        )}
      </Panel>
    </>
  );
}
