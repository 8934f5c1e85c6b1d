import { useAnswer } from '../client/live.ts';
import { PageLink } from '../parts/link/link.tsx';
import { EnvironmentLinks } from '../parts/link/name-links.tsx';
import { CursorPager } from '../parts/table/cursor-pager.tsx';
import { Table } from '../parts/table/table.tsx';
import { Id } from '../parts/text/id.tsx';
import { Text } from '../parts/text/text.tsx';
import { Time } from '../parts/text/time.tsx';
import type { PageProps } from '../routes/route.ts';
import { impactSentence } from './model/impact.ts';
import type { Impact as Answer } from './operations.ts';
import { readImpact, type recallRoute } from './routes.ts';

/** What a recall concerns: the environments first, because what runs is urgent, then the trails with their artifacts. */
export function Impact({ params, search }: PageProps<typeof recallRoute>) {
  const { org } = params;
  const answer = useAnswer(readImpact(org, params.recall, search.cursor));
  const { environments, trails, next_cursor: next } = answer;
  return (
    <>
      <p>
        <Text>{impactSentence(answer)}</Text>
      </p>
      {environments.length > 0 && (
        <Table
          caption="Environments in which it runs"
          rows={environments}
          keyOf={({ environment }) => environment}
          columns={[
            {
              head: 'Environment',
              cell: ({ environment: env }) => (
                <PageLink page="environment" params={{ org, env }} strong row>
                  <Text>{env}</Text>
                </PageLink>
              ),
            },
            { head: 'Artifacts', fit: true, align: 'end', cell: ({ artifacts }) => artifacts },
            { head: 'Runs since', fit: true, cell: ({ since }) => <Time at={since} /> },
          ]}
        />
      )}
      {trails.length > 0 && <Trails org={org} trails={trails} />}
      <CursorPager
        next={next}
        page="recall"
        params={params}
        search={search}
        labels={{ first: 'Back to the first trails', next: 'More trails' }}
      />
    </>
  );
}

const Trails = ({ org, trails }: { org: string; trails: Answer['trails'] }) => (
  <Table
    caption="Trails whose evidence falls under the recall"
    rows={trails}
    keyOf={({ flow_name: flow, trail_name: trail }) => `${flow} ${trail}`}
    columns={[
      {
        head: 'Trail',
        cell: ({ flow_name: flow, trail_name: trail }) => (
          <PageLink page="trail" params={{ org, flow, trail }} strong row>
            <Text>{trail}</Text>
          </PageLink>
        ),
      },
      { head: 'Flow', cell: ({ flow_name: flow }) => <Text>{flow}</Text> },
      {
        head: 'Evidence',
        cell: ({ flow_name: flow, trail_name: trail, evidence }) =>
          evidence.map(({ attestation_id: id, attestation_name: name, reported_at: at }) => (
            <div key={id}>
              <PageLink page="trail" params={{ org, flow, trail }} search={{ attestation_id: id }}>
                <Text>{name}</Text>
              </PageLink>{' '}
              <Time at={at} />
            </div>
          )),
      },
      {
        head: 'Artifacts',
        cell: ({ flow_name: flow, artifacts }) =>
          artifacts.map(({ fingerprint, name, running }) => (
            <div key={fingerprint}>
              <PageLink page="artifact" params={{ org, flow, fingerprint }}>
                {name === null ? (
                  <Id what="fingerprint" short plain>
                    {fingerprint}
                  </Id>
                ) : (
                  <Text>{name}</Text>
                )}
              </PageLink>
              {running.length > 0 && (
                <>
                  {' '}
                  runs in <EnvironmentLinks org={org} environments={running.map(({ environment }) => environment)} />
                </>
              )}
            </div>
          )),
      },
    ]}
  />
);
