import { absolute } from '#shared/base/addresses.ts';
import { shortName } from '#shared/base/reasons/artifact-name.ts';
import { toSeconds } from '#shared/base/time.ts';
import type { Notice, Target, Trigger } from './records.ts';

/** The only version of the webhook payload. */
export const PAYLOAD_VERSION = '1.0';

/**
 * Makes the body of a webhook as JSON text (`rules/notifications.md#payload`). It contains the time of the event and
 * not of the attempt, so it is the same for all attempts.
 * @param host scheme and authority of the service's own addresses
 */
export function webhookPayload(notice: Notice, host: string): string {
  const { org, environment, flow, trail, snapshot, attestation, artifact } = notice;
  const urls = {
    ...(notice.htmlPath !== undefined && { html_url: host + notice.htmlPath }),
    ...(notice.apiPath !== undefined && { api_url: host + notice.apiPath }),
  };
  return JSON.stringify({
    version: PAYLOAD_VERSION,
    timestamp: String(Math.floor(notice.at / 1e6)),
    org,
    ...(environment !== undefined && { environment }),
    ...(flow !== undefined && { flow }),
    ...(trail !== undefined && { trail }),
    event_type: notice.eventType,
    description: notice.description,
    ...(notice.test && { test: true }),
    ...(snapshot ? { snapshot: { index: String(snapshot.index), status: snapshot.status, ...urls } } : urls),
    ...(attestation && {
      attestation: {
        id: attestation.id,
        name: attestation.name,
        type: attestation.type,
        is_compliant: attestation.compliant,
      },
    }),
    ...(artifact && {
      artifact: {
        name: artifact.name,
        fingerprint: artifact.fingerprint,
        ...(artifact.provenance && { provenance: provenanceOut(artifact.provenance, artifact.fingerprint, org, host) }),
      },
    }),
    ...(notice.gap && { gap: gapOut(notice.gap) }),
    ...(notice.expected && { due_soon: dueSoonOut(notice.expected) }),
    ...(notice.exposure && { exposure: exposureOut(notice.exposure) }),
    // Last, so that everything before it is as in messages that have no reason.
    ...(notice.reason && { reason: notice.reason.says }),
  });
}

/** A gap in the fields of its answers; the end only if it has ended. */
const gapOut = ({ from, until, ...gap }: NonNullable<Notice['gap']>) => ({
  ...gap,
  from: toSeconds(from),
  ...(until !== undefined && { until: toSeconds(until) }),
});

const dueSoonOut = ({ due, ...expected }: NonNullable<Notice['expected']>) => ({ ...expected, due_at: toSeconds(due) });

const exposureOut = ({ attestation, ...exposure }: NonNullable<Notice['exposure']>) => ({
  ...exposure,
  attestation_id: attestation,
});

/** The provenance of an artifact, with its addresses if its flow is known. */
function provenanceOut(provenance: Record<string, string>, fingerprint: string, org: string, host: string) {
  const { flow } = provenance;
  if (flow === undefined) return provenance;
  return {
    ...provenance,
    html_url: absolute(host, `/${org}/flows/${flow}/artifacts/${fingerprint}`),
    api_url: absolute(host, `/api/v2/artifacts/${org}/${flow}/fingerprint/${fingerprint}`),
  };
}

/** The first line of a chat message and the subject of a mail. It does not require knowledge of triggers. */
function headline(notice: Notice): string {
  const test = notice.test ? '[Test] ' : '';
  if (notice.attestation) {
    return `${test}Attestation ${notice.attestation.name} is ${notice.attestation.compliant ? 'compliant' : 'not compliant'}`;
  }
  if (notice.eventType === 'TRAIL_STARTED') return `${test}Trail ${notice.trail} started`;
  if (notice.eventType === 'ARTIFACT_ATTESTED')
    return `${test}Artifact ${shortName(notice.artifact?.name ?? '')} reported`;
  // The descriptions of these two triggers count instances and do not name the artifact.
  const counted = notice.trigger === 'ON_STARTED_ARTIFACT' || notice.trigger === 'ON_EXITED_ARTIFACT';
  const whose = counted && notice.artifact ? `${shortName(notice.artifact.name)}: ` : '';
  return `${test}${whose}${notice.description}`;
}

/**
 * The place of an event: `flow / trail`, or the environment and its snapshot; the expectation if its whole scope is meant;
 * undefined for a test event.
 */
function placeName({ flow, trail, environment, snapshot, gap, expected }: Notice): string | undefined {
  if (flow !== undefined) return trail === undefined ? flow : `${flow} / ${trail}`;
  if (environment !== undefined) return snapshot ? `${environment} #${snapshot.index}` : environment;
  return gap?.expectation ?? expected?.expectation;
}

/** The parts of the line below the headline, in order: type, state of the trail or environment, severity and owner of an expectation,
 * actor, organization. */
function circumstances(notice: Notice): string[] {
  const state = notice.state ?? notice.snapshot?.status;
  const { severity, owner } = notice.gap ?? notice.expected ?? {};
  return [
    ...(notice.attestation ? [`type ${notice.attestation.type}`] : []),
    ...(state === undefined ? [] : [`${notice.flow === undefined ? 'environment' : 'trail'} is ${state}`]),
    ...(severity === undefined ? [] : [`severity ${severity}`]),
    ...(owner === undefined ? [] : [`owner ${owner}`]),
    ...(notice.actor === undefined ? [] : [`by ${notice.actor}`]),
    notice.org,
  ];
}

/** Triggers that say by themselves whether something is as it should be. */
const VERDICTS: Readonly<Partial<Record<Trigger, boolean>>> = {
  ON_COMPLIANT_ENV: true,
  ON_NON_COMPLIANT_ENV: false,
  ON_EXPECTATION_MET_AGAIN: true,
  ON_EXPECTATION_MISSED: false,
  ON_EXPOSURE: false,
};

/** The sign in front of the headline of a chat message that shows the verdict; empty if there is none. */
function mark(notice: Notice): string {
  const good = notice.attestation?.compliant ?? VERDICTS[notice.trigger];
  if (good === undefined) return '';
  return good ? '✅ ' : '❌ ';
}

/** Escapes the characters with which links and mentions begin in chat messages. */
const chatEscaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/**
 * Makes the text of a chat message in the markup of incoming webhooks (`rules/notifications.md#chat-message`).
 * @param host scheme and authority of the service's own addresses
 */
export function chatText(notice: Notice, host: string): string {
  const place = placeName(notice);
  const label = place === undefined ? undefined : chatEscaped(place);
  const link = label !== undefined && notice.htmlPath !== undefined ? `<${host}${notice.htmlPath}|${label}>` : label;
  const below = [...(link === undefined ? [] : [link]), ...circumstances(notice).map(chatEscaped)];
  const reason = notice.reason ? [chatEscaped(notice.reason.says)] : [];
  return [`${mark(notice)}*${chatEscaped(headline(notice))}*`, ...reason, below.join(' · ')].join('\n');
}

const HTML_ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const htmlEscaped = (text: string) => text.replace(/[&<>"']/g, (character) => HTML_ENTITIES[character] ?? character);

const LONGEST_SUBJECT = 150;

/**
 * Makes the mail of an event (`rules/notifications.md#mail`). Names and descriptions are escaped in the HTML. The
 * subject is one line.
 * @param host scheme and authority of the service's own addresses
 */
export function mailOf(notice: Notice, host: string): { subject: string; text: string; html: string } {
  const place = placeName(notice);
  const subject = `[${notice.org}] ${headline(notice)}${place === undefined ? '' : ` (${place})`}`
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
  const url = notice.htmlPath === undefined ? undefined : host + notice.htmlPath;
  const reason = notice.reason ? [notice.reason.says] : [];
  const lines = [notice.description, ...reason, circumstances(notice).join(' · ')];
  const paragraphs = lines.map((line) => `<p>${htmlEscaped(line)}</p>`);
  const link = url === undefined ? '' : `<p><a href="${htmlEscaped(url)}">${htmlEscaped(place ?? url)}</a></p>`;
  return {
    subject: subject.length > LONGEST_SUBJECT ? `${[...subject].slice(0, LONGEST_SUBJECT - 1).join('')}…` : subject,
    text: `${[...lines, ...(url === undefined ? [] : [url])].join('\n\n')}\n`,
    html: `<!doctype html>\n<html lang="en"><body>${paragraphs.join('')}${link}</body></html>\n`,
  };
}

/** What a target gets: the body of a request, or a mail. */
export type Message = { kind: 'json'; body: string } | ({ kind: 'mail' } & ReturnType<typeof mailOf>);

/**
 * Makes the message of an event for a type of target. It is the same for all attempts.
 * @param host scheme and authority of the service's own addresses
 */
export function messageOf({ type }: Pick<Target, 'type'>, notice: Notice, host: string): Message {
  if (type === 'EMAIL') return { kind: 'mail', ...mailOf(notice, host) };
  return {
    kind: 'json',
    body: type === 'CHAT' ? JSON.stringify({ text: chatText(notice, host) }) : webhookPayload(notice, host),
  };
}
