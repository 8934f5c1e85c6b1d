import { useLiveAnswer } from '../../client/live.ts';
import { OutLink } from '../../parts/link/link.tsx';
import { Waiting } from '../../parts/page/panel.tsx';
import { Raw } from '../../parts/page/raw.tsx';
import { Tabs } from '../../parts/page/tabs.tsx';
import { VerdictLine } from '../../parts/page/verdict-line.tsx';
import { Tags } from '../../parts/tags/tags.tsx';
import { Text } from '../../parts/text/text.tsx';
import { Time, useNow } from '../../parts/text/time.tsx';
import type { PageProps } from '../../routes/route.ts';
import { repoSentence } from '../model/repos.ts';
import { readRepo, type repoRoute } from '../routes.ts';
import { Builds } from './builds.tsx';
import { Releases } from './releases.tsx';
import { Running } from './running.tsx';

/** The page of a repository: what it builds, what was released of it, what runs. */
export default function RepoPage({ params, search }: PageProps<typeof repoRoute>) {
  const { tab, provider } = search;
  const repo = useLiveAnswer(readRepo(params, search), 30);
  const now = useNow();
  return (
    <>
      <VerdictLine
        kind="Repository"
        subject={repo.name}
        sentence={repoSentence(repo, now)}
        description={repo.description ?? ''}
        facts={[
          ...(repo.url === '' ? [] : [<OutLink key="url" href={repo.url} />]),
          ...(repo.provider === null ? [] : [<Text key="provider">{repo.provider}</Text>]),
          <span key="first">
            first named <Time at={repo.created_at} />
          </span>,
          ...(Object.keys(repo.tags).length > 0 ? [<Tags key="tags" tags={repo.tags} />] : []),
        ]}
      />
      <Tabs
        label="Views of the repository"
        tabs={[
          { label: 'Build', page: 'repo', params, search: { provider }, isCurrent: tab === undefined },
          {
            label: 'Release',
            page: 'repo',
            params,
            search: { tab: 'release', provider },
            isCurrent: tab === 'release',
          },
          { label: 'Run', page: 'repo', params, search: { tab: 'run', provider }, isCurrent: tab === 'run' },
        ]}
      />
      <Waiting rows={8}>
        {tab === undefined && <Builds params={params} search={search} />}
        {tab === 'release' && <Releases params={params} search={search} />}
        {tab === 'run' && <Running params={params} />}
      </Waiting>
      <Raw value={repo} path={`/repos/${params.org}/${repo.name}`} />
    </>
  );
}
