import { lazy } from 'react';
import { loadChunk } from '../client/new-version.ts';
import { curlOf } from '../model/commands.ts';
import { firstLine } from '../model/commit.ts';
import { stateOfWord } from '../model/states.ts';
import { DownloadEvidence } from '../package/download-evidence.tsx';
import { OutLink, PageLink } from '../parts/link/link.tsx';
import { Panel, Waiting } from '../parts/page/panel.tsx';
import { Tabs } from '../parts/page/tabs.tsx';
import { usePresentName } from '../parts/page/use-present-name.ts';
import { VerdictLine } from '../parts/page/verdict-line.tsx';
import { stepsOf } from '../parts/reasons/model.ts';
import { ReasonChain } from '../parts/reasons/reason-chain.tsx';
import { Code } from '../parts/text/code.tsx';
import { Id } from '../parts/text/id.tsx';
import { Json } from '../parts/text/json.tsx';
import { Text } from '../parts/text/text.tsx';
import { Time } from '../parts/text/time.tsx';
import { LogPanel } from '../proof/log-proof.tsx';
import type { PageProps } from '../routes/route.ts';
import { Events } from './events.tsx';
import { Evidence } from './evidence.tsx';
import { Missing } from './missing.tsx';
import { trailSentence } from './model/trail.ts';
import { Moments } from './moments.tsx';
import { Overridden } from './overridden.tsx';
import { Recalled } from './recalled.tsx';
import type { trailRoute } from './routes.ts';
import styles from './trail.module.css';
import { useTrail } from './use-trail.ts';

/** The details of an attestation are loaded when one is opened: most readers of a trail open none. */
const AttestationDrawer = lazy(() => loadChunk(() => import('./attestation/attestation-drawer.tsx')));

/** Characters of the message of a commit. */
const LONGEST_LINE = 80;

/** The page of a trail: may it go on, and what is it missing. */
export default function TrailPage({ params, search }: PageProps<typeof trailRoute>) {
  const { org, flow } = params;
  const { tab, attestation_id: attestation, moment, page } = search;
  const trail = useTrail(params, moment);
  usePresentName('flow', flow, trail.flow.name);
  const place = { host: location.origin, org, flow, trail: trail.name };
  const tabs = [
    { label: 'Evidence', tab: undefined },
    { label: 'Events', tab: 'events', count: trail.events.length },
    { label: 'History', tab: 'history' },
    { label: 'Raw', tab: 'raw' },
  ] as const;
  const commit = trail.git_commit_info;

  return (
    <>
      <VerdictLine
        kind="Trail"
        subject={trail.name}
        context={flow}
        state={stateOfWord(trail.compliance_state)}
        sentence={<Text>{trailSentence(trail)}</Text>}
        description={trail.description}
        actions={<DownloadEvidence org={org} scope={{ type: 'trail', flow: trail.flow.name, trail: trail.name }} />}
        facts={[
          <PageLink key="flow" page="flow" params={{ org, flow }}>
            flow <Text>{trail.flow.name}</Text>
          </PageLink>,
          ...(commit ? [<Commit key="commit" commit={commit} />] : []),
          <span key="began">
            began <Time at={trail.created_at} /> by <Text>{trail.created_by}</Text>
          </span>,
          <span key="last">
            last report <Time at={trail.last_modified_at} show="ago" />
          </span>,
          ...(trail.origin_url
            ? [
                <OutLink key="origin" href={trail.origin_url}>
                  run
                </OutLink>,
              ]
            : []),
          ...Object.entries(trail.external_urls ?? {}).map(([label, { href }]) => (
            <OutLink key={label} href={href}>
              {label}
            </OutLink>
          )),
        ]}
      />
      {moment !== undefined && (
        <p className={styles['asOf']}>
          This is the trail as it was after moment #{moment}, <Time at={trail.last_modified_at} show="full" />.{' '}
          <PageLink page="trail" params={params}>
            Show it as it is now
          </PageLink>
        </p>
      )}
      {trail.compliance_state !== 'COMPLIANT' && (
        <ReasonChain steps={stepsOf(trail.reasons)} leftOut={trail.reasons_left_out} about={trail.name} />
      )}
      <Missing trail={trail} place={place} />
      <Overridden trail={trail} params={params} />
      <Recalled trail={trail} params={params} />
      <Tabs
        label="Views of the trail"
        tabs={tabs.map((one) => ({
          label: one.label,
          count: 'count' in one ? one.count : undefined,
          page: 'trail' as const,
          params,
          search: { tab: one.tab, moment },
          isCurrent: one.tab === tab,
        }))}
      />
      {tab === undefined && <Evidence trail={trail} params={params} />}
      {tab === 'events' && <Events trail={trail} params={params} />}
      {tab === 'history' && (
        <Panel title="Moments" note="each accepted write, numbered and linked by a hash">
          <Moments params={params} page={page} />
        </Panel>
      )}
      {tab === 'raw' && (
        <>
          <Code what="curl" wrap>
            {curlOf(location.origin, `/api/v2/trails/${org}/${flow}/${trail.name}`)}
          </Code>
          <Json value={trail} what="Answer" />
        </>
      )}
      {tab !== 'raw' && (
        <LogPanel key={trail.last_modified_at} record={{ kind: 'trail', org, trail }} of="the last moment" />
      )}
      {attestation !== undefined && (
        <Waiting rows={0}>
          <AttestationDrawer key={attestation} id={attestation} trail={trail} params={params} tab={tab} />
        </Waiting>
      )}
    </>
  );
}

/** The commit of a trail: its number, what it says, and who wrote it. */
function Commit({ commit }: { commit: Record<string, unknown> }) {
  const { sha1, message, author } = commit;
  return (
    <span>
      {typeof sha1 === 'string' && (
        <Id what="commit" short>
          {sha1}
        </Id>
      )}{' '}
      {typeof message === 'string' && <Text>{firstLine(message, LONGEST_LINE)}</Text>}
      {typeof author === 'string' && author !== '' && (
        <>
          {' '}
          by <Text>{author.replace(/\s*<.*$/, '')}</Text>
        </>
      )}
    </span>
  );
}
