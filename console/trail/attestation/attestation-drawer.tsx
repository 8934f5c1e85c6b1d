import { useNavigate } from '@tanstack/react-router';
import { useAnswer } from '../../client/live.ts';
import { usePreferences } from '../../client/preferences.ts';
import { read } from '../../client/query-client.ts';
import { stateOfReport } from '../../model/states.ts';
import { IconButton } from '../../parts/control/button.tsx';
import { OutLink, PageLink } from '../../parts/link/link.tsx';
import { Drawer } from '../../parts/page/drawer.tsx';
import { Empty } from '../../parts/page/empty.tsx';
import { KeyValues } from '../../parts/page/key-values.tsx';
import { Waiting } from '../../parts/page/panel.tsx';
import { Raw } from '../../parts/page/raw.tsx';
import { Id } from '../../parts/text/id.tsx';
import { Json } from '../../parts/text/json.tsx';
import { State } from '../../parts/text/state.tsx';
import { Text } from '../../parts/text/text.tsx';
import { Time } from '../../parts/text/time.tsx';
import { Author } from '../../people/author.tsx';
import type { ParamsOf } from '../../routes/params.ts';
import type { PageProps } from '../../routes/route.ts';
import { routePath } from '../../routes/route-path.ts';
import { overrideOf, overrideText } from '../model/override.ts';
import { type Slot, slotName, slotsOf } from '../model/trail.ts';
import { type Attestation, attestations, type Trail } from '../operations.ts';
import type { trailRoute } from '../routes.ts';
import styles from './attestation.module.css';
import { DecisionFacts } from './decision.tsx';
import { Files } from './files.tsx';
import { findingsOf, isEmpty } from './model/attestation.ts';
import { decisionOf, ownUserData } from './model/decision.ts';
import { Sbom } from './sbom.tsx';

interface DrawerProps {
  id: string;
  trail: Trail;
  params: ParamsOf<'trail'>;
  tab: PageProps<typeof trailRoute>['search']['tab'];
}

/** One attestation over the trail: verdict, who, when, what was found, files. The arrow keys walk through the others. */
export function AttestationDrawer({ id, trail, params, tab }: DrawerProps) {
  const navigate = useNavigate();
  const slots = slotsOf(trail).filter(({ attestation }) => attestation !== null);
  const at = slots.findIndex(({ attestation, overridden }) => attestation === id || overridden === id);
  const slot = slots[at];
  const show = (attestation: string | undefined): void =>
    void navigate({
      to: routePath('trail'),
      params,
      search: { tab, attestation_id: attestation },
      resetScroll: false,
      replace: true,
    });
  const step = (by: number): void => {
    const next = slots[at + by]?.attestation;
    if (next) show(next);
  };
  return (
    <Drawer
      title={slot ? <Text>{slotName(slot.scope, slot.name)}</Text> : 'Attestation'}
      actions={
        <>
          <IconButton icon="back" label="Previous attestation" disabled={at <= 0} onClick={() => step(-1)} />
          <IconButton icon="next" label="Next attestation" disabled={at >= slots.length - 1} onClick={() => step(1)} />
        </>
      }
      onClose={() => show(undefined)}
      onKeyDown={({ key }) => {
        if (key === '[') step(-1);
        if (key === ']') step(1);
      }}
    >
      <Waiting rows={8}>
        <Details id={id} params={params} slot={slot} />
      </Waiting>
    </Drawer>
  );
}

interface DetailsProps {
  id: string;
  params: ParamsOf<'trail'>;
  /** The place of the trail that the attestation fills, or filled before it was overridden. */
  slot: Slot | undefined;
}

function Details({ id, params, slot }: DetailsProps) {
  const { zone } = usePreferences();
  const { data } = useAnswer(read(attestations, { org: params.org }, { attestation_id: id }));
  const [attestation] = data;
  if (!attestation) {
    return (
      <Empty sentence="No attestation of this organization has the id in the address." remedy={<code>{id}</code>} />
    );
  }
  const { attestation_type: type, is_compliant: compliant, description, erased } = attestation;
  const override = overrideOf(attestation);
  const decision = decisionOf(attestation);
  const userData = ownUserData(attestation, decision);
  return (
    <>
      <p className={styles['verdict']}>
        <State state={stateOfReport(type, compliant)} chip />
        {override && <Text lines>{capitalized(overrideText(override, zone))}</Text>}
      </p>
      {erased && (
        <p>The text of this attestation was erased. Its verdict and its place in the chain of hashes remain.</p>
      )}
      {description && (
        <p>
          <Text lines>{description}</Text>
        </p>
      )}
      {decision && <DecisionFacts decision={decision} attestation={attestation} params={params} />}
      <Facts attestation={attestation} params={params} slot={slot} />
      <Sbom attestation={attestation} />
      <Findings attestation={attestation} />
      <Files attestation={attestation} org={params.org} />
      {!isEmpty(userData) && (
        <section className={styles['part']}>
          <h3>User data</h3>
          <Json value={userData} what="user_data" />
        </section>
      )}
      <Raw value={attestation} path={`/attestations/${params.org}?attestation_id=${id}`} />
    </>
  );
}

function Facts({
  attestation,
  params,
  slot,
}: {
  attestation: Attestation;
  params: ParamsOf<'trail'>;
  slot: Slot | undefined;
}) {
  const { git_commit_info: commit } = attestation;
  const sha1 = commit?.['sha1'];
  const overrides = slot?.attestation === attestation.attestation_id ? slot.overridden : null;
  const overriddenBy = slot?.overridden === attestation.attestation_id ? slot.attestation : null;
  return (
    <KeyValues
      rows={[
        ['Type', <Text key="type">{attestation.attestation_type}</Text>],
        [
          'Reported',
          <span key="reported">
            <Time at={attestation.created_at} show="full" /> by{' '}
            <Author name={attestation.created_by} identity={attestation.identity} />
          </span>,
        ],
        ['About', <Target key="target" attestation={attestation} params={params} />],
        [
          'Overrides',
          overrides !== null && (
            <PageLink page="trail" params={params} search={{ attestation_id: overrides }} keepPlace replace>
              the report before it
            </PageLink>
          ),
        ],
        [
          'Overridden',
          overriddenBy !== null && (
            <PageLink page="trail" params={params} search={{ attestation_id: overriddenBy }} keepPlace replace>
              by a later report
            </PageLink>
          ),
        ],
        [
          'Notified',
          <PageLink
            key="recipients"
            page="deliveries"
            params={{ org: params.org }}
            search={{ attestation_id: attestation.attestation_id }}
          >
            who was told of it
          </PageLink>,
        ],
        ['Commit', typeof sha1 === 'string' && <Id what="commit">{sha1}</Id>],
        ['Run', attestation.origin_url && <OutLink href={attestation.origin_url} />],
        ...Object.entries(attestation.external_urls ?? {}).map(
          ([label, { href }]) => [label, <OutLink key={label} href={href} />] as const,
        ),
        ...Object.entries(attestation.annotations ?? {}).map(
          ([label, value]) => [label, <Text key={label}>{value}</Text>] as const,
        ),
        [
          'Id',
          <Id key="id" what="id">
            {attestation.attestation_id}
          </Id>,
        ],
      ]}
    />
  );
}

/** What the attestation is about: an artifact that was reported, artifacts that are only named, or the trail. */
function Target({ attestation, params: { org, flow } }: { attestation: Attestation; params: ParamsOf<'trail'> }) {
  const { artifact_fingerprint: fingerprint, target_artifacts: names } = attestation;
  if (fingerprint === null) return names.length === 0 ? 'the trail' : <Text>{names.join(', ')}</Text>;
  return (
    <PageLink page="artifact" params={{ org, flow, fingerprint }}>
      <Id what="fingerprint" plain>
        {fingerprint}
      </Id>
    </PageLink>
  );
}

/** What the type of the attestation found. */
function Findings({ attestation }: { attestation: Attestation }) {
  const findings = findingsOf(attestation);
  if (findings.length === 0) return null;
  const short = findings.filter(({ text }) => text !== null);
  const long = findings.filter(({ text }) => text === null);
  return (
    <section className={styles['part']}>
      <h3>Result</h3>
      <KeyValues rows={short.map(({ label, text }) => [label, <Text key={label}>{text}</Text>] as const)} />
      {long.map(({ label, value }) => (
        <Json key={label} value={value} what={label} />
      ))}
    </section>
  );
}

const capitalized = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);
