import { useAnswer } from '../client/live.ts';
import { PageLink } from '../parts/link/link.tsx';
import { Empty } from '../parts/page/empty.tsx';
import { Panel, Waiting } from '../parts/page/panel.tsx';
import { Raw } from '../parts/page/raw.tsx';
import { VerdictLine } from '../parts/page/verdict-line.tsx';
import { Filters } from '../parts/table/filters.tsx';
import { TextFilter } from '../parts/table/text-filter.tsx';
import { Id } from '../parts/text/id.tsx';
import { Text } from '../parts/text/text.tsx';
import type { PageProps } from '../routes/route.ts';
import { DigestSentence, FoundArtifacts } from './found-artifacts.tsx';
import { groupsOf, isDigest, searchSentence } from './model/search-results.ts';
import { readFound, type searchRoute } from './routes.ts';
import styles from './search.module.css';

/** Finds records by the beginning of a digest, of a commit or of a name. */
export default function SearchPage({ params, search: { q } }: PageProps<typeof searchRoute>) {
  if (q === undefined) {
    return (
      <>
        <VerdictLine subject="Search" sentence="Give the beginning of a digest, of a commit or of a name." />
        <Box value="" />
        <Empty
          sentence="Five characters of a digest are enough. Names are those of flows, trails, environments, artifacts, policies, controls and repositories."
          remedy="The search box above every page does the same: press / to reach it."
        />
      </>
    );
  }
  return <Results org={params.org} q={q} />;
}

const Box = ({ value }: { value: string }) => (
  <Filters label="Search">
    <TextFilter label="Digest, commit or name" value={value} />
  </Filters>
);

function Results({ org, q }: { org: string; q: string }) {
  const found = useAnswer(readFound(org, q));
  const { type, full_match: match } = found.resolved_to;
  const byDigest = isDigest(q, found);
  const groups = groupsOf(org, found).filter(({ title }) => !byDigest || title !== 'Artifacts');
  const sentence = <Text>{searchSentence(q, found)}</Text>;
  return (
    <>
      <VerdictLine
        kind="Search"
        subject={q}
        sentence={
          byDigest ? (
            <>
              {sentence} <DigestSentence org={org} sha={q} />
            </>
          ) : (
            sentence
          )
        }
        facts={
          type === 'fingerprint' || type === 'commit'
            ? [
                <Id key="match" what={type}>
                  {match}
                </Id>,
              ]
            : []
        }
      />
      <Box value={q} />
      {byDigest && (
        <Waiting rows={4}>
          <FoundArtifacts org={org} sha={q} />
        </Waiting>
      )}
      {groups.map(({ title, names, more }) => (
        <Panel key={title} title={title} note={more ? 'the first 10; give more characters for others' : undefined}>
          <ul className={styles['names']}>
            {names.map(({ key, label, hint, page, params }) => (
              <li key={key}>
                <PageLink page={page} params={params} row>
                  <Text>{label}</Text>
                </PageLink>{' '}
                <span className={styles['quiet']}>
                  <Text>{hint}</Text>
                </span>
              </li>
            ))}
          </ul>
        </Panel>
      ))}
      {type === 'nothing' && (
        <Empty
          sentence="Names are compared from their beginning; case does not count. Of a digest at least 5 characters are needed."
          remedy="Trails are found among the newest 500, artifacts by name among the newest 100 reports. An older trail is found by its whole name."
        />
      )}
      <Raw value={found} path={`/search/${org}?q=${encodeURIComponent(q)}`} />
    </>
  );
}
