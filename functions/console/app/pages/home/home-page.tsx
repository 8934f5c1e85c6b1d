import { environments } from '../../client/environments.ts';
import { flows } from '../../client/flows.ts';
import { useAnswer, useLiveAnswer } from '../../client/live.ts';
import { read } from '../../client/query-client.ts';
import { homeSentence, needsFirst } from '../../model/home.ts';
import { allOf } from '../../model/pages.ts';
import { stateOfVerdict, stateOfWord } from '../../model/states.ts';
import { Empty } from '../../parts/empty.tsx';
import { PageLink } from '../../parts/link.tsx';
import { Panel } from '../../parts/panel.tsx';
import { State } from '../../parts/state.tsx';
import { Table } from '../../parts/table.tsx';
import { Text } from '../../parts/text.tsx';
import { Time } from '../../parts/time.tsx';
import { VerdictLine } from '../../parts/verdict-line.tsx';
import type { PageProps } from '../route.ts';
import type { homeRoute } from './route.ts';

/** The first page of an organization: what runs where, and what was delivered last. */
export default function HomePage({ params: { org } }: PageProps<typeof homeRoute>) {
  const all = allOf(useLiveAnswer(read(environments, { org }), 30), 'environments');
  return (
    <>
      <VerdictLine subject={org} kind="Organization" sentence={homeSentence(all)} />
      <Panel title="Environments">
        {all.length === 0 ? (
          <Empty
            sentence="This organization has no environment yet."
            remedy="An environment reports what runs in it."
            commands={[
              {
                what: 'Command-line client',
                text: `kosli create environment prod --type K8S --org ${org} --host ${location.origin} --api-token "$KEY"`,
              },
            ]}
          />
        ) : (
          <Table
            caption="Environments, those that need attention first"
            rows={needsFirst(all)}
            keyOf={({ name }) => name}
            isUnreadable={({ unreadable }) => unreadable === true}
            columns={[
              {
                head: 'Name',
                cell: ({ name }) => (
                  <PageLink page="environment" params={{ org, env: name }} strong row>
                    <Text>{name}</Text>
                  </PageLink>
                ),
              },
              { head: 'State', fit: true, cell: ({ state }) => <State state={stateOfVerdict(state)} /> },
              { head: 'Type', fit: true, cell: ({ type }) => type },
              { head: 'Policies', cell: ({ policies }) => <Text>{policies.join(', ') || '–'}</Text> },
              {
                head: 'Last change',
                fit: true,
                cell: ({ last_changed_at: at }) => <Time at={at} show="ago" never="never" />,
              },
              {
                head: 'Last report',
                fit: true,
                cell: ({ last_reported_at: at }) => <Time at={at} show="ago" never="never" />,
              },
            ]}
          />
        )}
      </Panel>
      <Panel title="Flows" rows={6}>
        <Flows org={org} />
      </Panel>
    </>
  );
}

function Flows({ org }: { org: string }) {
  const all = allOf(useAnswer(read(flows, { org })), 'data');
  if (all.length === 0) {
    return (
      <Empty
        sentence="This organization has no flow yet."
        remedy="A flow is a delivery process. Its trails collect artifacts and attestations."
        commands={[
          {
            what: 'Command-line client',
            text: `kosli create flow web --template-file template.yml --org ${org} --host ${location.origin} --api-token "$KEY"`,
          },
        ]}
      />
    );
  }
  const newest = all.toSorted((a, b) => (b.latest_activity_at ?? 0) - (a.latest_activity_at ?? 0));
  return (
    <Table
      caption="Flows, those with the latest activity first"
      rows={newest}
      keyOf={({ id }) => id}
      isUnreadable={({ unreadable }) => unreadable === true}
      columns={[
        {
          head: 'Name',
          cell: ({ name }) => (
            <PageLink page="flow" params={{ org, flow: name }} strong row>
              <Text>{name}</Text>
            </PageLink>
          ),
        },
        {
          head: 'Latest trail',
          fit: true,
          cell: ({ latest_state: state }) => (state === null ? '–' : <State state={stateOfWord(state)} />),
        },
        { head: 'Description', cell: ({ description }) => <Text>{description}</Text> },
        { head: 'Activity', fit: true, cell: ({ latest_activity_at: at }) => <Time at={at} show="ago" never="none" /> },
        {
          head: 'Deployed',
          fit: true,
          cell: ({ last_deployment_at: at }) => <Time at={at} show="ago" never="never" />,
        },
      ]}
    />
  );
}
