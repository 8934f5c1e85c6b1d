import { lazy } from 'react';
import { useAnswer } from '../client/live.ts';
import { loadChunk } from '../client/new-version.ts';
import { PageLink } from '../parts/link/link.tsx';
import { Panel, Waiting } from '../parts/page/panel.tsx';
import { Raw } from '../parts/page/raw.tsx';
import { Text } from '../parts/text/text.tsx';
import type { PageProps } from '../routes/route.ts';
import styles from './control.module.css';
import { ControlHead } from './control-head.tsx';
import { CoverageBar } from './coverage-bar.tsx';
import { Decisions } from './decisions.tsx';
import { readControl, readCoverage } from './reads.ts';
import type { controlRoute } from './routes.ts';

// It is made of parts of another theme, so it is loaded with its tab.
const ControlGaps = lazy(() => loadChunk(() => import('../expectation/control-gaps.tsx')));

const NEWEST = 8;

/** A control: where it applies, and what was decided about it. */
export default function ControlPage({ params, search }: PageProps<typeof controlRoute>) {
  if (search.tab !== 'gaps') return <Overview params={params} />;
  return (
    <>
      <ControlHead params={params} current="gaps" />
      <Waiting rows={6}>
        <ControlGaps org={params.org} control={params.control} />
      </Waiting>
    </>
  );
}

function Overview({ params }: Pick<PageProps<typeof controlRoute>, 'params'>) {
  const { org } = params;
  const control = useAnswer(readControl(params));
  const policies = control.policies_referencing;
  return (
    <>
      <ControlHead params={params} current="control" />
      <Panel title="Coverage" note="environments with a policy that asks for it" rows={2}>
        <CoverageOf params={params} />
      </Panel>
      {policies.length > 0 && (
        <Panel title="Policies that ask for it">
          <ul className={styles['policies']}>
            {policies.map((policy) => (
              <li key={policy}>
                <PageLink page="policy" params={{ org, policy }}>
                  <Text>{policy}</Text>
                </PageLink>
              </li>
            ))}
          </ul>
        </Panel>
      )}
      <Panel title="Newest decisions" rows={6}>
        <Decisions params={params} most={NEWEST} />
      </Panel>
      <Raw value={control} path={`/controls/${org}/${control.identifier}`} />
    </>
  );
}

const CoverageOf = ({ params }: { params: { org: string; control: string } }) => (
  <CoverageBar params={params} coverage={useAnswer(readCoverage(params))} />
);
