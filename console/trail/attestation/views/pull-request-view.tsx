import { KeyValues } from '../../../parts/page/key-values.tsx';
import { Id } from '../../../parts/text/id.tsx';
import { State } from '../../../parts/text/state.tsx';
import { Text } from '../../../parts/text/text.tsx';
import { Time } from '../../../parts/text/time.tsx';
import type { PullRequestView as Model, PullRequest } from '../model/pull-request.ts';
import { Bounded } from './bounded.tsx';
import { NamedLink } from './named-link.tsx';
import { Notice, View } from './view.tsx';
import styles from './views.module.css';

/** Pull requests of a commit: who approved what, and whether that was somebody else than the authors. */
export const PullRequestView = ({ view }: { view: Model }) => (
  <View
    title={view.pulls.length > 1 ? 'Pull requests' : 'Pull request'}
    sentence={view.pulls[0]?.sentence ?? view.sentence}
  >
    {view.pulls.slice(0, MOST).map((pull, n) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: a pull request has no id that every client sends
      <Pull key={n} pull={pull} saysWho={n > 0} />
    ))}
    {view.pulls.length > MOST && (
      <Notice>{`${view.pulls.length - MOST} more pull requests stand in the raw answer.`}</Notice>
    )}
    {view.pulls.length > 0 && <p className={styles['quiet']}>{view.sentence}</p>}
  </View>
);

/** A commit that is part of more pull requests is not expected. */
const MOST = 20;

const FOUR_EYES = { yes: 'compliant', no: 'incomplete', unknown: 'unknown' } as const;

const Pull = ({ pull, saysWho }: { pull: PullRequest; saysWho: boolean }) => (
  <>
    {saysWho && (
      <p className={styles['sentence']}>
        <Text>{pull.sentence}</Text>
      </p>
    )}
    {pull.notes.map((note) => (
      <Notice key={note}>{note}</Notice>
    ))}
    <KeyValues
      rows={[
        [
          'Title',
          <NamedLink key="title" href={pull.url}>
            {pull.title}
          </NamedLink>,
        ],
        ['State', pull.state !== null && <Text key="state">{pull.state.toLowerCase()}</Text>],
        ['Branches', pull.branches !== null && <Text key="branches">{pull.branches}</Text>],
        ['Author', pull.author !== null && <Text key="author">{pull.author}</Text>],
        ['Opened', pull.created !== null && <Time key="opened" at={pull.created} show="full" />],
        ['Merged', pull.merged !== null && <Time key="merged" at={pull.merged} show="full" />],
        [
          'Four eyes',
          <State key="eyes" state={FOUR_EYES[pull.fourEyes]}>
            {{ yes: 'Yes', no: 'No', unknown: 'Not known' }[pull.fourEyes]}
          </State>,
        ],
      ]}
    />
    {pull.approvals.length > 0 && (
      <>
        <h4>Reviews</h4>
        <Bounded rows={pull.approvals} textOf={({ name }) => name} what="reviews">
          {({ name, state, at }) => (
            <div className={styles['line']}>
              <span className={styles['name']}>
                <Text>{name}</Text>
              </span>
              <Text>{state === null ? 'approved' : state.toLowerCase().replaceAll('_', ' ')}</Text>
              {at !== null && (
                <span className={`${styles['quiet']} ${styles['end']}`}>
                  <Time at={at} />
                </span>
              )}
            </div>
          )}
        </Bounded>
      </>
    )}
    {pull.commits.length > 0 && (
      <>
        <h4>Commits</h4>
        <Bounded
          rows={pull.commits}
          textOf={({ sha, message, author }) => [sha, message, author].join(' ')}
          what="commits"
        >
          {({ sha, message, author, at, url, verified }) => (
            <div className={styles['item']}>
              <Text lines>{message ?? 'without a message'}</Text>
              <div className={`${styles['line']} ${styles['quiet']}`}>
                {url === null ? (
                  <Id what="commit" short plain>
                    {sha}
                  </Id>
                ) : (
                  <NamedLink href={url}>{sha.slice(0, 8)}</NamedLink>
                )}
                <Text>{author ?? 'unknown author'}</Text>
                {at !== null && <Time at={at} />}
                {verified !== null && (verified ? 'signature verified' : 'signature not verified')}
              </div>
            </div>
          )}
        </Bounded>
      </>
    )}
  </>
);
