/**
 * The words of this field, for the documents and for the console. docs/glossary.md is made from it.
 *
 * Each word has its meaning in two sentences, and the rule that has the details. The words are in the order of the alphabet.
 */
export const GLOSSARY: Readonly<Record<string, readonly [meaning: string, rule: string]>> = {
  action: [
    'A rule of an organization that sends notifications: which events, of which flows or environments, go to which targets. The API calls the kind for environments an environment notification.',
    'rules/notifications.md#actions',
  ],
  alias: [
    'A former name of a flow or an environment. It leads to the present record until another record takes the name.',
    'rules/tags.md#names-and-aliases',
  ],
  'allow-list': [
    'The artifacts that an organization trusts in one environment, each with a reason. An artifact on the list is compliant there, whatever the policies say.',
    'rules/environments.md#allow-list',
  ],
  'API key': [
    'A secret that begins with dek_ and says who sends a request. It belongs to a user or to a service account and has no more rights than that principal.',
    'rules/organizations.md#api-keys',
  ],
  artifact: [
    'Something that was built, for example an image or an archive, identified by its fingerprint alone. Each report of an artifact belongs to one trail and never changes.',
    'rules/artifacts.md#artifact',
  ],
  assert: [
    'A question that a pipeline asks before it goes on: may this artifact be released, or run there? The answer is a verdict with its reasons.',
    'rules/lookups.md#asserts',
  ],
  attachment: [
    'A file that an attestation carries, such as a test report. The service keeps the file in its bucket and the digest of the file in the record.',
    'rules/attestations.md#attachments',
  ],
  attestation: [
    'A record that a check was made, with its verdict. It belongs to one trail, is about the trail or an artifact, and never changes.',
    'rules/attestations.md#attestation',
  ],
  'audit log': [
    'The list of all changes of an organization: who changed what, and when. Each entry is written in the transaction of its change.',
    'rules/organizations.md#audit-log',
  ],
  beat: [
    'A record of each minute that says that the service itself ran. A minute without one is unknown time, for which nobody else is blamed.',
    'rules/expectations.md#unknown-time',
  ],
  binding: [
    'The way in which an attestation finds what it is about: by fingerprint, or by a name of the template and a commit. An attestation may come before the artifact that it is about.',
    'rules/trails.md#scope-and-binding',
  ],
  body: [
    'A long text or a document that belongs to a record. A small one lies in the table, and a large one in the bucket under its digest.',
    'rules/storage.md#bodies',
  ],
  build: [
    'The first report of a fingerprint in an organization. Later reports of the same fingerprint are no further builds.',
    'rules/lookups.md#builds',
  ],
  catalogue: [
    'A list of records that is short enough to be read as a whole, such as flows or environments. It can be searched and sorted by any of its columns.',
    'rules/lists.md#catalogues',
  ],
  checkpoint: [
    'A signed statement that the log of an organization has a certain size and root hash. With a checkpoint somebody can prove later what the log contained.',
    'rules/log.md#checkpoints',
  ],
  claim: [
    'A statement in a token, such as the repository of a job. Separately, an item of the table that says that work was done: a request with an Idempotency-Key, or an entry that the log has.',
    'rules/identities.md#trusts',
  ],
  commitment: [
    'A hash over a text and a random salt, which stands in a hash chain or in the log in place of the text. It proves the text to somebody who has text and salt, and says nothing after both were erased.',
    'rules/trails.md#commitments',
  ],
  compliant: [
    'Every requirement is met: the evidence is there, and none of it speaks against. INCOMPLETE says that evidence is missing, NON-COMPLIANT that some evidence speaks against.',
    'rules/trails.md#verdict-words',
  ],
  component: [
    'A part that an artifact holds, such as a library, as an SBOM lists it. It has a package URL or a name, and mostly a version.',
    'rules/components.md#what-is-read',
  ],
  control: [
    'A requirement of the organization with a name and versions, such as «every change is reviewed». Decisions say whether an artifact or a trail meets it, and policies can ask for it.',
    'rules/controls.md#control-record',
  ],
  cosignature: [
    'The signature of a witness below a checkpoint. It says that the witness has seen this state of the log, and that the log only grew since the state that it saw before.',
    'rules/log.md#cosignatures',
  ],
  decision: [
    'An attestation that says whether a control is met. A person, a pipeline or an evaluation records it.',
    'rules/controls.md#decisions',
  ],
  delivery: [
    'One event for one target of an action. The service stores every attempt to send it, and the answer that came back.',
    'rules/notifications.md#deliveries',
  ],
  'denied component': [
    'A component that a policy does not accept in certain versions. An artifact whose SBOM lists one of them is not compliant, and neither is one whose components nobody knows.',
    'rules/policies.md#denied-components',
  ],
  draft: [
    'A write that an agent proposes. It is stored for an hour beside the evidence, and a person who confirms it makes it.',
    'rules/agents.md#drafts',
  ],
  due: [
    'The instant at which something that an expectation asks for becomes missed. It is the last arrival, the interval and the grace time together.',
    'rules/expectations.md#due',
  ],
  entry: [
    'What the log of an organization has about one record: ids, numbers, times and commitments, and no text of a caller. Lists call their items entries, too.',
    'rules/log.md#entries',
  ],
  environment: [
    'A place where artifacts run, such as a cluster or a group of servers. Reports say what runs in it, and policies say what may run.',
    'rules/environments.md#record',
  ],
  erasure: [
    'The removal of the text or the file of one record by an operator. The record, its hash and an audit entry stay.',
    'rules/erasure.md#erase-body',
  ],
  evaluation: [
    'One run of a policy program of a caller over trails, as they were at one instant. Input and result are stored, so that the run can be repeated.',
    'rules/evaluations.md#lifecycle',
  ],
  event: [
    'The start, the stop or a change of an artifact in an environment, with a number. The events of a snapshot are its differences from the snapshot before.',
    'rules/environments.md#events',
  ],
  'exchanged key': [
    'An API key that lives for minutes and was given for the token of a pipeline. It acts as the service account of a trust and may not manage access.',
    'rules/identities.md#exchange',
  ],
  expansion: [
    'The work after a new snapshot: events, running artifacts, deployments and notifications. The expander does it in pieces, after the report was answered.',
    'rules/environments.md#effects-of-a-snapshot',
  ],
  expectation: [
    'A stated interval: reports, trails or evidence come at least every so often. What does not come is late, and then missed.',
    'rules/expectations.md#record',
  ],
  export: [
    'An archive of everything that an organization has, as one tar file. The verifier checks the archive without the service.',
    'rules/exports.md#archive',
  ],
  facet: [
    'A filtered copy of a time series, such as the attestations of one flow. The relay fills it, so that a filtered list has pages and totals.',
    'rules/lists.md#facets',
  ],
  fingerprint: [
    'The SHA-256 of the content of an artifact, as 64 hexadecimal digits. Two artifacts with one fingerprint are the same artifact.',
    'rules/artifacts.md#fingerprints',
  ],
  flow: [
    'A delivery process of a team, such as «build and release the web shop». A flow has a template and collects trails.',
    'rules/flows.md#flow-record',
  ],
  'fresh until': [
    'The last instant at which neither silence nor age alone changes an answer that is compliant. An assert says it beside its verdict.',
    'rules/lookups.md#fresh-until',
  ],
  gap: [
    'An interval in which a subject was not what an expectation asks for, for example an environment without a report. The service stores it once, and ends it when something comes.',
    'rules/expectations.md#gaps',
  ],
  grade: [
    'What the service itself saw of who made evidence: somebody stated it, a pipeline was identified, a signer signed it, or a log proves when. A policy can ask for the least grade.',
    'rules/verified-evidence.md#grades',
  ],
  'hash chain': [
    'The order of all moments of a trail, or of all snapshots of an environment, in which each hash covers the hash before it. A change of an earlier record shows in every later hash.',
    'rules/trails.md#hash-chain',
  ],
  head: [
    'The item that holds the present state of a trail, an environment or a log: its number, its hash and its verdict. Every write replaces the head on the condition that nobody else did so meanwhile.',
    'rules/trails.md#trail-head',
  ],
  link: [
    'One record of a hash chain with its number, its hash and the hash of the record before it. The log has an entry for each link.',
    'rules/trails.md#link',
  ],
  log: [
    'The list of the entries of one organization, in the form of published standards. Entries are only added, and signed checkpoints let outsiders prove it.',
    'rules/log.md#sequencing',
  ],
  'logical environment': [
    'An environment that groups others and takes no reports. Its snapshots follow from those of its members.',
    'rules/environments.md#logical-environments',
  ],
  mark: [
    'A counter of an environment that says that evidence about something running there has changed. The next report evaluates the environment again, even if the same artifacts run.',
    'rules/environments.md#marks',
  ],
  'maximum age': [
    'A key of an attestation rule: older evidence counts as missing. The reason says how old it is.',
    'rules/policies.md#max-age',
  ],
  'maximum silence': [
    'A key of an environment policy: if no report came for longer, the environment is unknown. Its last snapshot stays as it was.',
    'rules/policies.md#max-silence',
  ],
  milestone: [
    'A stored count at one place of a time series. With milestones a list finds page 900 and the total without counting all entries.',
    'rules/lists.md#milestones',
  ],
  moment: [
    'One accepted write to a trail, with a number, a time and a hash. The moments of a trail are its whole history.',
    'rules/trails.md#moments',
  ],
  opening: [
    'Text and salt of a commitment. A person who has both can compute the commitment and compare it with the one in the log.',
    'rules/log.md#openings',
  ],
  OpenVEX: [
    'A format for statements whether a vulnerability affects a product. Answers about exposure name what somebody said not to be affected, with who, when, why and grade.',
    'rules/components.md#said-not-to-be-affected',
  ],
  operator: [
    'A person who runs the service, and the function that only this person may invoke. The operator creates organizations and their first members, and erases texts.',
    'rules/organizations.md#operator',
  ],
  organization: [
    'The owner of all records and the border of access. Nobody reads or writes across it.',
    'rules/organizations.md#organization',
  ],
  override: [
    'An attestation that replaces the verdict of another one, with a reason. The overridden attestation stays and is shown as overridden.',
    'rules/trails.md#overrides',
  ],
  policy: [
    'Rules about what may run, attached to environments, with versions. A policy program that an evaluation runs is something else: it is brought by the caller and may ask anything of trails.',
    'rules/policies.md#policy-record',
  ],
  presence: [
    'What came from the reporters of an environment on one day: the reports of each hour, the first, the last and the longest silence. Nobody changes or removes it.',
    'rules/environments.md#presence',
  ],
  provenance: [
    'A fingerprint has provenance if somebody reported it to a flow of the organization. A policy can require it.',
    'rules/artifacts.md#provenance',
  ],
  recall: [
    'A record that says that signatures of a signer, a run, a builder, a trust root or a key are not to be trusted, since when and why. Verdicts are computed without them.',
    'rules/verified-evidence.md#recalls',
  ],
  receipt: [
    'A proof that one record is in the log of its organization. A holder can check it at any time, also without the service.',
    'rules/log.md#receipts',
  ],
  relay: [
    'The function that applies the effects of each accepted write: lists, marks, notifications. It reads them from the stream of the table, so they come a moment after the answer.',
    'rules/storage.md#stream-and-relay',
  ],
  repository: [
    'A source repository, known from reports only. Nobody creates one: the first report that names it does.',
    'rules/lookups.md#repositories',
  ],
  role: [
    'What a member or a service account may do in an organization: admin, member, snapshotter or reader. Each role may do what the roles after it may do.',
    'rules/organizations.md#roles',
  ],
  SBOM: [
    'A software bill of materials: a file that lists the components of an artifact, as CycloneDX or SPDX. The service reads it after it was reported.',
    'rules/components.md#which-files-are-read',
  ],
  series: [
    'Records in an order that is fixed when they are written. A numbered series counts moments or snapshots, and a time series orders trails or attestations by their time.',
    'rules/lists.md#four-ways',
  ],
  'service account': [
    'A program of an organization that sends requests, such as a pipeline. It has a role and API keys of its own, and belongs to no person.',
    'rules/organizations.md#service-accounts',
  ],
  session: [
    'The sign-in of a person in a browser, kept by a cookie. It has the rights of the key or of the sign-in that started it, and ends with it.',
    'rules/organizations.md#sessions',
  ],
  signer: [
    'Whom a signature can be from: an identity that a certificate names, or a public key. An admin names the signers of an organization.',
    'rules/verified-evidence.md#signers',
  ],
  slot: [
    'A named place in a trail for an attestation or an artifact, most often required by the template. The latest report of the name holds the slot and counts for the verdict.',
    'rules/trails.md#attestation-slots',
  ],
  snapshot: [
    'What ran in an environment at one time, with its verdict and a number. A report makes a new snapshot only if something differs from the snapshot before.',
    'rules/environments.md#snapshots',
  ],
  statement: [
    'A signed verdict about a trail, an artifact, a snapshot or an evaluation. Programs of others can check it, because its form is a published standard.',
    'rules/log.md#statements',
  ],
  sweep: [
    'A call of the relay by a schedule, which looks for effects that are missing and applies them. It makes up for what the stream or a queue lost.',
    'rules/storage.md#sweeps',
  ],
  tag: [
    'A key and a value on a flow, an environment, a control or a repository. Tags filter lists, and policies can make exceptions by them.',
    'rules/tags.md#tags',
  ],
  target: [
    'A place to which an action sends notifications: a chat channel, a webhook or mail addresses. The service keeps the health of each target.',
    'rules/notifications.md#target-types',
  ],
  template: [
    'The list of attestations and artifacts that every trail of a flow must have, as YAML. A trail may bring a template of its own.',
    'rules/flows.md#templates',
  ],
  tile: [
    'A file with hashes of the log, or with its entries, of a fixed size. A full tile never changes, so anybody may keep a copy.',
    'rules/log.md#tiles',
  ],
  trail: [
    'One run of a flow, such as the release of one commit. It collects moments, and its verdict says whether everything that the template requires is there and in order.',
    'rules/trails.md#trail-record',
  ],
  trust: [
    'A rule of an organization that says which tokens of which issuer act as which service account. Pipelines with such a token need no stored key.',
    'rules/identities.md#trusts',
  ],
  'trust root': [
    'The certificate authorities, logs and timestamp authorities that an organization trusts, or a public key. Signatures are verified with it.',
    'rules/verified-evidence.md#stored-trust-roots',
  ],
  verdict: [
    'The answer to the question whether something is compliant, with reasons. It is computed when the record is written, and stored with it.',
    'rules/trails.md#verdict',
  ],
  verifier: [
    'A program that checks receipts, exports and served logs without the service. It is one file that Node runs alone.',
    'rules/verification.md#one-file',
  ],
  watch: [
    'A question about a component that each new SBOM and each start in an environment asks again. Actions are told once of the first match, and once of each environment.',
    'rules/watches.md#watch',
  ],
  witness: [
    'A server of somebody else, or of another region, that cosigns checkpoints. It notices if a log shows two histories.',
    'rules/log.md#witnesses',
  ],
};
