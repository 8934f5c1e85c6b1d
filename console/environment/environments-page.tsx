import { useLiveAnswer } from '../client/live.ts';
import { Writes } from '../parts/form/writes.tsx';
import { Empty } from '../parts/page/empty.tsx';
import { Raw } from '../parts/page/raw.tsx';
import { VerdictLine } from '../parts/page/verdict-line.tsx';
import { Pager } from '../parts/table/pager.tsx';
import type { PageProps } from '../routes/route.ts';
import { Filters } from './environment-filters.tsx';
import { EnvironmentTable } from './environment-table.tsx';
import { newEnvironment } from './forms.ts';
import { environmentListSentence, pageOfEnvironments } from './model/environment-list.ts';
import { silentSentence } from './model/silence.ts';
import { type environmentsRoute, readEnvironments } from './routes.ts';

/** All environments of an organization. */
export default function EnvironmentsPage({ params, search }: PageProps<typeof environmentsRoute>) {
  const { org } = params;
  const answer = useLiveAnswer(readEnvironments(org, search), 30);
  const found = pageOfEnvironments(answer);
  const isFiltered = search.q !== undefined || search.type !== undefined || search.tag !== undefined;
  const { environments, total, page, perPage, pageCount } = found;
  return (
    <>
      <VerdictLine
        subject="Environments"
        context={org}
        sentence={`${environmentListSentence(found, isFiltered)}${silentSentence(environments)}`}
        actions={<Writes org={org} writes={[newEnvironment(org)]} />}
      />
      <Filters search={search} />
      {environments.length === 0 ? (
        <Empty
          sentence={isFiltered ? 'No environment fits the filter.' : 'An environment reports what runs in it.'}
          commands={
            isFiltered
              ? []
              : [
                  {
                    what: 'Command-line client',
                    text: `kosli create environment prod --type K8S --org ${org} --host ${location.origin} --api-token "$KEY"`,
                  },
                  {
                    what: 'curl',
                    text: `curl -X PUT ${location.origin}/api/v2/environments/${org} \\\n  -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \\\n  -d '{"name":"prod","type":"K8S"}'`,
                  },
                ]
          }
        />
      ) : (
        <EnvironmentTable org={org} environments={environments} isList />
      )}
      <Pager
        pagination={{ page, per_page: perPage, total, page_count: pageCount }}
        page="environments"
        params={params}
        search={search}
      />
      <Raw value={answer} path={`/environments/${org}?include=states&include=silence&per_page=50`} />
    </>
  );
}
