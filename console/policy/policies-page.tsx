import { useAnswer } from '../client/live.ts';
import { read } from '../client/query-client.ts';
import { quoted } from '../model/commands.ts';
import { Writes } from '../parts/form/writes.tsx';
import { PageLink } from '../parts/link/link.tsx';
import { Empty } from '../parts/page/empty.tsx';
import { Raw } from '../parts/page/raw.tsx';
import { VerdictLine } from '../parts/page/verdict-line.tsx';
import { Table } from '../parts/table/table.tsx';
import { Text } from '../parts/text/text.tsx';
import { Time } from '../parts/text/time.tsx';
import type { PageProps } from '../routes/route.ts';
import { Environments } from './environments.tsx';
import { newPolicy } from './forms.ts';
import { policyListSentence } from './model/policy.ts';
import { policies } from './operations.ts';
import type { policiesRoute } from './routes.ts';

/** All policies of an organization. */
export default function PoliciesPage({ params }: PageProps<typeof policiesRoute>) {
  const { org } = params;
  const all = useAnswer(read(policies, params));
  return (
    <>
      <VerdictLine
        subject="Policies"
        context={org}
        sentence={<Text>{policyListSentence(all)}</Text>}
        actions={<Writes org={org} writes={[newPolicy(org, all)]} />}
      />
      {all.length === 0 ? (
        <Empty
          sentence="A policy says what may run in an environment."
          remedy="Write it as a file, then attach it to environments."
          commands={[
            {
              what: 'Command-line client',
              text: `kosli create policy strict policy.yml --org ${quoted(org)} --host ${location.origin} --api-token "$KEY"`,
            },
            {
              what: 'curl',
              text: `curl -X PUT ${location.origin}/api/v2/policies/${org} -H "Authorization: Bearer $KEY" \\\n  -F 'payload={"name":"strict"}' -F policy_file=@policy.yml`,
            },
          ]}
        />
      ) : (
        <Table
          caption="Policies"
          rows={all}
          keyOf={({ name }) => name}
          isUnreadable={({ unreadable }) => unreadable === true}
          columns={[
            {
              head: 'Policy',
              sortBy: ({ name }) => name,
              cell: ({ name }) => (
                <PageLink page="policy" params={{ org, policy: name }} strong row>
                  <Text>{name}</Text>
                </PageLink>
              ),
            },
            {
              head: 'Version',
              fit: true,
              align: 'end',
              cell: ({ versions }) => versions.at(-1)?.version ?? '–',
            },
            { head: 'Environments', cell: ({ consuming_envs: names }) => <Environments org={org} names={names} /> },
            { head: 'Description', wide: true, cell: ({ description }) => <Text>{description || '–'}</Text> },
            {
              head: 'Last change',
              fit: true,
              sortBy: ({ versions }) => versions.at(-1)?.timestamp,
              cell: ({ versions }) => <Time at={versions.at(-1)?.timestamp} show="ago" />,
            },
            { head: 'By', fit: true, cell: ({ versions }) => <Text>{versions.at(-1)?.created_by ?? ''}</Text> },
          ]}
        />
      )}
      <Raw value={all} path={`/policies/${org}`} />
    </>
  );
}
