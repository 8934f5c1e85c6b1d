import { useAnswer } from '../../client/live.ts';
import { read } from '../../client/query-client.ts';
import { user } from '../../client/user.ts';
import { Empty } from '../../parts/empty.tsx';
import { PageLink } from '../../parts/link.tsx';
import { Table } from '../../parts/table.tsx';
import { Text } from '../../parts/text.tsx';
import { VerdictLine } from '../../parts/verdict-line.tsx';

/** The organizations of the caller. */
export default function OrganizationsPage() {
  const { organizations, name, default_org_name: preset, has_more_organizations: hasMore } = useAnswer(read(user, {}));
  return (
    <>
      <VerdictLine
        subject="Organizations"
        sentence={
          <>
            <Text>{name}</Text> is a member of {organizations.length === 1 ? 'one' : organizations.length}
            {hasMore && ' and more'}.
          </>
        }
      />
      {organizations.length === 0 ? (
        <Empty
          sentence="You are a member of no organization."
          remedy="An administrator of an organization adds you to it by your name."
        />
      ) : (
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
            { head: 'Default', cell: (organization) => (organization.name === preset ? 'default' : '') },
          ]}
        />
      )}
    </>
  );
}
