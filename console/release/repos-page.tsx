import { useLiveAnswer } from '../client/live.ts';
import { paginationOf } from '../model/pages.ts';
import { OutLink, PageLink } from '../parts/link/link.tsx';
import { Empty } from '../parts/page/empty.tsx';
import { Raw } from '../parts/page/raw.tsx';
import { VerdictLine } from '../parts/page/verdict-line.tsx';
import { Filters } from '../parts/table/filters.tsx';
import { Pager } from '../parts/table/pager.tsx';
import { Table } from '../parts/table/table.tsx';
import { TextFilter } from '../parts/table/text-filter.tsx';
import { Tags } from '../parts/tags/tags.tsx';
import { Text } from '../parts/text/text.tsx';
import { Time } from '../parts/text/time.tsx';
import type { PageProps } from '../routes/route.ts';
import { repoListSentence } from './model/repos.ts';
import type { Repo } from './operations.ts';
import { readRepos, type reposRoute } from './routes.ts';

/** The repositories that reports named. */
export default function ReposPage({ params, search }: PageProps<typeof reposRoute>) {
  const { org } = params;
  const answer = useLiveAnswer(readRepos(org, search), 30);
  const isFiltered = [search.q, search.provider, search.tag].some((value) => value !== undefined);
  return (
    <>
      <VerdictLine
        subject="Repositories"
        context={org}
        sentence={repoListSentence(answer.total_count, isFiltered)}
        facts={[
          <PageLink key="builds" page="builds" params={{ org }}>
            Builds of all repositories
          </PageLink>,
        ]}
      />
      {(answer.total_count > 0 || isFiltered) && (
        <Filters label="Filter the repositories">
          <TextFilter label="Name" value={search.q ?? ''} />
          <TextFilter label="Provider" name="provider" value={search.provider ?? ''} />
          <TextFilter label="Tag, such as team:checkout" name="tag" value={search.tag ?? ''} />
        </Filters>
      )}
      {answer.repos.length === 0 ? (
        <Nothing org={org} isFiltered={isFiltered} />
      ) : (
        <Rows org={org} repos={answer.repos} />
      )}
      <Pager pagination={paginationOf(answer)} page="repos" params={params} search={search} />
      <Raw value={answer} path={`/repos/${org}?per_page=50`} />
    </>
  );
}

const Rows = ({ org, repos }: { org: string; repos: readonly Repo[] }) => (
  <Table
    caption="Repositories, by name"
    rows={repos}
    keyOf={({ id }) => id}
    isUnreadable={({ unreadable }) => unreadable === true}
    columns={[
      {
        head: 'Repository',
        serverSort: { by: 'name', begins: 'ascending', isUsual: true },
        cell: ({ name, provider }) => (
          <PageLink page="repo" params={{ org, repo: name }} search={{ provider: provider ?? undefined }} strong row>
            <Text>{name}</Text>
          </PageLink>
        ),
      },
      { head: 'Provider', fit: true, cell: ({ provider }) => <Text>{provider ?? '–'}</Text> },
      { head: 'Address', cell: ({ url }) => (url === '' ? '–' : <OutLink href={url} />) },
      { head: 'Tags', cell: ({ tags }) => <Tags tags={tags} /> },
      {
        head: 'Last report',
        fit: true,
        cell: ({ latest_activity: at }) => <Time at={at} show="ago" never="never" />,
      },
    ]}
  />
);

const Nothing = ({ org, isFiltered }: { org: string; isFiltered: boolean }) =>
  isFiltered ? (
    <Empty sentence="No repository fits the filter." />
  ) : (
    <Empty
      sentence="A repository appears when a report names it."
      remedy="The command-line client fills these values in by itself in most pipelines."
      commands={[
        {
          what: 'Command-line client',
          text: `kosli begin trail NAME --flow FLOW \\\n  --repository OWNER/NAME --repo-id ID --repo-url URL \\\n  --org ${org} --host ${location.origin} --api-token "$KEY"`,
        },
      ]}
    />
  );
