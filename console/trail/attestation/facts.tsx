import { OutLink, PageLink } from '../../parts/link/link.tsx';
import { KeyValues } from '../../parts/page/key-values.tsx';
import { Id } from '../../parts/text/id.tsx';
import { Text } from '../../parts/text/text.tsx';
import { Time } from '../../parts/text/time.tsx';
import { Author } from '../../people/author.tsx';
import type { ParamsOf } from '../../routes/params.ts';
import type { Slot } from '../model/trail.ts';
import type { Attestation } from '../operations.ts';

/** Who reported the attestation, when, about what, and what leads on from it. */
export function Facts({
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
