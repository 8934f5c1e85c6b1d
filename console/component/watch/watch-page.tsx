import { useLiveAnswer } from '../../client/live.ts';
import { curlOf } from '../../model/commands.ts';
import { Button } from '../../parts/control/button.tsx';
import { Writes } from '../../parts/form/writes.tsx';
import { PageLink } from '../../parts/link/link.tsx';
import { KeyValues } from '../../parts/page/key-values.tsx';
import { Panel } from '../../parts/page/panel.tsx';
import { Raw } from '../../parts/page/raw.tsx';
import { VerdictLine } from '../../parts/page/verdict-line.tsx';
import { Lanes } from '../../parts/plot/lanes.tsx';
import { Table } from '../../parts/table/table.tsx';
import { Code } from '../../parts/text/code.tsx';
import { Text } from '../../parts/text/text.tsx';
import { Time, useNow } from '../../parts/text/time.tsx';
import type { PageProps } from '../../routes/route.ts';
import { caseSentence, caseState, eventText, knownText } from '../model/watch-case.ts';
import { readWatchCase, type watchRoute } from '../routes.ts';
import { watchWrites } from './forms.ts';
import type { CaseEvent, WatchCase } from './operations.ts';

/** The case of a watch: since when the organization knows, where affected artifacts ran, who was told. A working paper, also printed. */
export default function WatchPage({ params }: PageProps<typeof watchRoute>) {
  const { org } = params;
  const found = useLiveAnswer(readWatchCase(params), 30);
  const now = useNow();
  const { watch, timeline } = found;
  return (
    <>
      <VerdictLine
        kind="Watch"
        subject={watch.name}
        context={org}
        state={caseState(found)}
        sentence={<Text>{caseSentence(found, now)}</Text>}
        description={watch.description ?? ''}
        actions={
          <>
            <Writes org={org} writes={watchWrites(org, watch)} />
            <Button onClick={() => print()}>Print</Button>
          </>
        }
        facts={[
          <PageLink
            key="question"
            page="components"
            params={{ org }}
            search={{ purl: watch.purl, versions: watch.versions ?? undefined }}
          >
            <Text>{watch.versions === null ? watch.purl : `${watch.purl}, ${watch.versions}`}</Text>
          </PageLink>,
          ...(watch.vulnerability === null ? [] : [<Text key="vulnerability">{watch.vulnerability}</Text>]),
          <span key="at">
            as of <Time at={found.as_of} show="full" zone="utc" />
          </span>,
        ]}
      />
      <Panel title="The 24 hours" note="from when the organization knows">
        <KeyValues
          rows={[
            ['Known since', <Text key="known">{knownText(found)}</Text>],
            ['From', watch.known_note !== null && <Text key="note">{watch.known_note}</Text>],
            ['End', found.due_at !== null && <Time key="due" at={found.due_at} show="full" zone="utc" />],
            ['Affected builds', found.affected_builds.toLocaleString('en')],
            ['Said not to be affected', found.not_affected_builds.toLocaleString('en')],
            [
              'Oldest of them',
              found.first_affected_at !== null && (
                <Time key="first" at={found.first_affected_at} show="full" zone="utc" />
              ),
            ],
            [
              'Last one stopped',
              found.stopped_at !== null && <Time key="stopped" at={found.stopped_at} show="full" zone="utc" />,
            ],
          ]}
        />
      </Panel>
      {found.environments.length > 0 && (
        <Panel title="Environments" note="where affected artifacts run and ran">
          <Environments org={org} found={found} />
        </Panel>
      )}
      <Panel title="Timeline" note="the oldest first, in UTC">
        <Table
          caption="What happened"
          rows={timeline.map((event, n) => ({ ...event, key: String(n) }))}
          keyOf={({ key }) => key}
          columns={[
            { head: 'When', fit: true, cell: ({ at }) => <Time at={at} show="full" zone="utc" /> },
            { head: 'What', cell: (event) => <Text>{eventText(event)}</Text> },
            { head: 'Evidence', cell: (event) => <Evidence org={org} event={event} /> },
          ]}
        />
      </Panel>
      <Panel title="Statement" note="the case, signed by the service">
        <Code what="Get it with the proof that it is in the log" wrap>
          {curlOf(location.origin, `/api/v2/watches/${org}/${watch.name}/case/statement?format=sigstore`)}
        </Code>
      </Panel>
      <Raw value={found} path={`/watches/${org}/${watch.name}/case`} />
    </>
  );
}

/** What shows an event: the SBOM, the snapshot, the action. */
function Evidence({ org, event }: { org: string; event: CaseEvent }) {
  const { flow_name: flow, trail_name: trail, attestation_id: id } = event;
  const { environment: env, snapshot_index: index, action_number: action, action_name: name } = event;
  return (
    <>
      {flow !== undefined && trail !== undefined && (
        <div>
          <PageLink page="trail" params={{ org, flow, trail }} search={{ attestation_id: id }}>
            SBOM of <Text>{trail}</Text> of <Text>{flow}</Text>
          </PageLink>
        </div>
      )}
      {env !== undefined && typeof index === 'number' && (
        <div>
          <PageLink page="snapshot" params={{ org, env, expression: String(index) }}>
            snapshot <Text>{env}</Text> #{index}
          </PageLink>
        </div>
      )}
      {action !== undefined &&
        (name === null || name === undefined ? (
          'an action that was deleted'
        ) : (
          <PageLink page="action" params={{ org, action: String(action) }}>
            <Text>{name}</Text>
          </PageLink>
        ))}
    </>
  );
}

function Environments({ org, found }: { org: string; found: WatchCase }) {
  const { environments, as_of: asOf, first_affected_at: first } = found;
  const begin = Math.min(...environments.map(({ since, until }) => since ?? until ?? asOf), first ?? asOf, asOf - 60);
  const link = (env: string) => (
    <PageLink page="environment" params={{ org, env }}>
      <Text>{env}</Text>
    </PageLink>
  );
  return (
    <>
      <Lanes
        period={{ from: begin, to: asOf }}
        lanes={environments.map(({ environment: env, since, until }) => ({
          key: env,
          label: link(env),
          intervals: [{ from: since ?? begin, to: until ?? asOf, state: 'affected' as const }],
        }))}
      />
      <Table
        caption="Where affected artifacts run and ran"
        rows={environments}
        keyOf={({ environment }) => environment}
        columns={[
          { head: 'Environment', cell: ({ environment: env }) => link(env) },
          { head: 'Artifacts', fit: true, align: 'end', cell: ({ artifacts }) => artifacts },
          {
            head: 'Since',
            fit: true,
            cell: ({ since }) => <Time at={since} show="full" zone="utc" never="not known" />,
          },
          {
            head: 'Until',
            fit: true,
            cell: ({ until }) => <Time at={until} show="full" zone="utc" never="runs now" />,
          },
        ]}
      />
    </>
  );
}
