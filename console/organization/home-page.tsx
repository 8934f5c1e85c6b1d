import { CatchBoundary } from '@tanstack/react-router';
import { Suspense } from 'react';
import { useAnswer, useLiveAnswer } from '../client/live.ts';
import { ConnectPanel } from '../connect/connect-panel.tsx';
import { isConnecting } from '../connect/model/progress.ts';
import { EnvironmentTable } from '../environment/environment-table.tsx';
import { pageOfEnvironments } from '../environment/model/environment-list.ts';
import { silentSentence } from '../environment/model/silence.ts';
import { reasonOf } from '../flow/model/flow-grid.ts';
import { stateOfWord } from '../model/states.ts';
import { PageLink } from '../parts/link/link.tsx';
import { Empty } from '../parts/page/empty.tsx';
import { Panel } from '../parts/page/panel.tsx';
import { VerdictLine } from '../parts/page/verdict-line.tsx';
import { State } from '../parts/text/state.tsx';
import { Text } from '../parts/text/text.tsx';
import type { PageProps } from '../routes/route.ts';
import styles from './home.module.css';
import {
  environmentsSentence,
  failingActions,
  nothingNeeded,
  openTrails,
  speedText,
  workSentence,
} from './model/home.ts';
import type { NewestTrail } from './operations.ts';
import { type homeRoute, readActions, readHomeEnvironments, readNewestTrails } from './routes.ts';
import { TrailTable } from './trail-table.tsx';

/** The first page of an organization: what is wrong where, what waits for people, and what was delivered last. */
export default function HomePage({ params: { org } }: PageProps<typeof homeRoute>) {
  const answer = useLiveAnswer(readHomeEnvironments(org), 30);
  const { environments, total, pageCount } = pageOfEnvironments(answer);
  return (
    <>
      <VerdictLine
        subject={org}
        kind="Organization"
        sentence={
          <>
            <Text>{`${environmentsSentence({ environments, total })}${silentSentence(environments)}`}</Text>{' '}
            <CatchBoundary getResetKey={() => org} errorComponent={() => null}>
              <Suspense fallback={null}>
                <Work org={org} />
              </Suspense>
            </CatchBoundary>
          </>
        }
      />
      <CatchBoundary getResetKey={() => org} errorComponent={() => null}>
        <Suspense fallback={null}>
          <Connecting org={org} />
        </Suspense>
      </CatchBoundary>
      {total > 0 && (
        <Panel
          title="Environments"
          note="the last 30 days, what is wrong first"
          actions={
            pageCount > 1 && (
              <PageLink page="environments" params={{ org }}>
                All {total.toLocaleString('en')}
              </PageLink>
            )
          }
        >
          <EnvironmentTable org={org} environments={environments} />
        </Panel>
      )}
      <Panel title="Needs you" rows={3}>
        <NeedsYou org={org} />
      </Panel>
      <Panel title="Activity" note="the newest trails" rows={10}>
        <Activity org={org} />
      </Panel>
    </>
  );
}

const Work = ({ org }: { org: string }) => (
  <>{workSentence(useAnswer(readNewestTrails(org)).data, useAnswer(readActions(org)))}</>
);

/** Trails without all their evidence, and actions whose targets refuse what is sent. */
function NeedsYou({ org }: { org: string }) {
  const newest = useAnswer(readNewestTrails(org)).data;
  const trails = openTrails(newest);
  const actions = failingActions(useAnswer(readActions(org)));
  if (trails.length + actions.length === 0) {
    return <p className={styles['quiet']}>{nothingNeeded(newest)}</p>;
  }
  return (
    <ul className={styles['needs']}>
      {actions.map(({ number, name }) => (
        <li key={number}>
          <State state="dead">Failing</State>
          <PageLink page="action" params={{ org, action: String(number) }} row>
            <Text>{name}</Text>
          </PageLink>
          <span className={styles['quiet']}>action: what it sent last was not taken</span>
        </li>
      ))}
      {trails.map((trail) => (
        <OpenTrail key={`${trail.flow_name} ${trail.name}`} org={org} trail={trail} />
      ))}
    </ul>
  );
}

function OpenTrail({ org, trail }: { org: string; trail: NewestTrail }) {
  const { name, flow_name: flow, compliance_state: word } = trail;
  const reason = reasonOf(trail);
  return (
    <li>
      <State state={stateOfWord(word)} />
      <PageLink page="trail" params={{ org, flow, trail: name }} row>
        <Text>{name}</Text>
      </PageLink>
      <span className={styles['quiet']}>
        of{' '}
        <PageLink page="flow" params={{ org, flow }}>
          <Text>{flow}</Text>
        </PageLink>
        {reason !== '' && (
          <>
            {': '}
            <Text>{reason}</Text>
          </>
        )}
      </span>
    </li>
  );
}

function Activity({ org }: { org: string }) {
  const { data: trails } = useAnswer(readNewestTrails(org));
  if (trails.length === 0) {
    return (
      <Empty
        sentence="No trail has begun yet."
        remedy="A trail is one run of a flow. It collects artifacts and attestations."
      />
    );
  }
  const speed = speedText(trails);
  return (
    <>
      {speed !== null && <p className={styles['quiet']}>{speed}</p>}
      <TrailTable org={org} trails={trails} />
    </>
  );
}

/** The way to the first compliant snapshot, until it is there. */
function Connecting({ org }: { org: string }) {
  const { environments } = pageOfEnvironments(useAnswer(readHomeEnvironments(org)));
  const { data: trails } = useAnswer(readNewestTrails(org));
  return isConnecting(trails, environments) && <ConnectPanel org={org} />;
}
