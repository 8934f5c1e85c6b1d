import { OutLink, PageLink } from '../../parts/link/link.tsx';
import { KeyValues } from '../../parts/page/key-values.tsx';
import { Id } from '../../parts/text/id.tsx';
import { Text } from '../../parts/text/text.tsx';
import type { Artifact } from '../operations.ts';

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Where the artifact comes from: file, build, commit, repository. */
export function Origin({ org, artifact }: { org: string; artifact: Artifact }) {
  const repo = textOf(artifact.repo_info?.['name']);
  const commit = artifact.git_commit_info;
  const address = artifact.repo_url || textOf(artifact.repo_info?.['url']);
  return (
    <KeyValues
      rows={[
        ['File', artifact.filename && <Text>{artifact.filename}</Text>],
        ['Name in the template', <Text key="name">{artifact.template_reference_name}</Text>],
        ['Commit', artifact.git_commit && <Id what="commit">{artifact.git_commit}</Id>],
        ['Message', textOf(commit?.['message']) && <Text lines>{textOf(commit?.['message'])}</Text>],
        ['Author', textOf(commit?.['author']) && <Text>{textOf(commit?.['author'])}</Text>],
        ['Branch', textOf(commit?.['branch']) && <Text>{textOf(commit?.['branch'])}</Text>],
        ['Build', artifact.build_url && <OutLink href={artifact.build_url} />],
        ['Commit page', artifact.commit_url && <OutLink href={artifact.commit_url} />],
        [
          'Repository',
          repo !== '' && (
            <PageLink page="repo" params={{ org, repo }}>
              <Text>{repo}</Text>
            </PageLink>
          ),
        ],
        ['Repository page', address !== '' && <OutLink href={address} />],
        ...Object.entries(artifact.external_urls ?? {}).map(
          ([label, { href }]) => [label, <OutLink key={label} href={href} />] as const,
        ),
        ...Object.entries(artifact.annotations).map(
          ([label, value]) => [label, <Text key={label}>{value}</Text>] as const,
        ),
      ]}
    />
  );
}
