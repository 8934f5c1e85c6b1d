import { OutLink, PageLink } from '../parts/link/link.tsx';
import { Empty } from '../parts/page/empty.tsx';
import { Table } from '../parts/table/table.tsx';
import { Text } from '../parts/text/text.tsx';
import { Time } from '../parts/text/time.tsx';
import { CommitCell, TrailName } from './artifact-cells.tsx';
import { ArtifactName } from './artifact-name.tsx';
import type { Build } from './operations.ts';

/** Builds, the newest first. */
export const BuildTable = ({
  org,
  builds,
  ofRepo = false,
}: {
  org: string;
  builds: readonly Build[];
  ofRepo?: boolean;
}) => (
  <Table
    caption="Builds, the newest first"
    rows={builds}
    keyOf={({ fingerprint }) => fingerprint}
    isUnreadable={({ unreadable }) => unreadable === true}
    columns={[
      {
        head: 'Artifact',
        cell: ({ flow_name: flow, fingerprint, filename }) => (
          <ArtifactName org={org} flow={flow} fingerprint={fingerprint} name={filename} />
        ),
      },
      {
        head: 'Trail',
        cell: ({ flow_name: flow, trail_name: trail }) => <TrailName org={org} flow={flow} trail={trail} stacked />,
      },
      {
        head: 'Commit',
        wide: true,
        cell: ({ git_commit: sha, git_commit_info: commit }) => <CommitCell commit={commit} sha={sha} />,
      },
      ...(ofRepo
        ? []
        : [
            {
              head: 'Repository',
              cell: ({ repo_info: { name } }: Build) =>
                name === '' ? (
                  '–'
                ) : (
                  <PageLink page="repo" params={{ org, repo: name }}>
                    <Text>{name}</Text>
                  </PageLink>
                ),
            },
          ]),
      {
        head: 'Build',
        fit: true,
        cell: ({ build_url: url }) => (url === '' ? '–' : <OutLink href={url}>open</OutLink>),
      },
      { head: 'Reported', fit: true, cell: ({ created_at: at }) => <Time at={at} show="ago" /> },
    ]}
  />
);

/** What would fill a list of builds. @param hasEver whether there are builds outside of the period */
export const NoBuild = ({ org, hasEver }: { org: string; hasEver: boolean }) =>
  hasEver ? (
    <Empty sentence="There are builds in other periods. Choose other days." />
  ) : (
    <Empty
      sentence="A build appears when a pipeline reports an artifact."
      remedy="The report should name the repository, so that builds can be found by it."
      commands={[
        {
          what: 'Command-line client',
          text: `kosli attest artifact FILE --artifact-type file --name NAME --flow FLOW --trail TRAIL \\\n  --build-url URL --commit-url URL --commit COMMIT --org ${org} --host ${location.origin} --api-token "$KEY"`,
        },
      ]}
    />
  );
