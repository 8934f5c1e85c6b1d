import { user } from '../account/user.ts';
import { useAnswer } from '../client/live.ts';
import { read } from '../client/query-client.ts';
import { count } from '../model/words.ts';
import { Writes } from '../parts/form/writes.tsx';
import { PageLink } from '../parts/link/link.tsx';
import { Empty } from '../parts/page/empty.tsx';
import { VerdictLine } from '../parts/page/verdict-line.tsx';
import { Table } from '../parts/table/table.tsx';
import { Text } from '../parts/text/text.tsx';
import { Offers } from '../people/offers.tsx';
import { makeDefault } from './forms.ts';

/** The organizations of the caller. */
export default function OrganizationsPage() {
  const { organizations, offers, name, default_org_name: preset, ...more } = useAnswer(read(user, {}));
  const hasMore = more.has_more_organizations;
  return (
    <>
      <VerdictLine
        subject="Organizations"
        sentence={
          <>
            <Text>{name}</Text> is a member of {count(organizations.length, 'organization')}
            {hasMore && ' and more'}.
          </>
        }
      />
      <Offers />
      {organizations.length === 0 && offers.length === 0 && (
        <Empty
          sentence="You are in no organization."
          remedy="An administrator of an organization invites you by your name. The invitation then stands here."
        />
      )}
      {organizations.length > 0 && (
        <Table
          caption="Organizations"
          rows={organizations}
          keyOf={(organization) => organization.name}
          columns={[
            {
              head: 'Name',
              cell: (organization) => (
                <PageLink page="home" params={{ org: organization.name }} strong row>
                  <Text>{organization.name}</Text>
                </PageLink>
              ),
            },
            { head: 'Your role', cell: ({ role }) => role },
            { head: 'Kind', cell: ({ kind }) => kind },
            {
              head: 'Default',
              fit: true,
              cell: (organization) =>
                organization.name === preset ? (
                  'default'
                ) : (
                  <Writes org={organization.name} writes={[makeDefault(organization.name)]} isExplained={false} />
                ),
            },
          ]}
        />
      )}
    </>
  );
}
