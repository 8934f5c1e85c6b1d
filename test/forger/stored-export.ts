import type { Id, OrganizationId } from '#shared/base/ids.ts';
import { ENVELOPES } from '#shared/exports/archive.ts';
import type { ExportContext } from '#shared/exports/context.ts';
import { keyFiles } from '#shared/exports/key-files.ts';
import { pinnedIndexes } from '#shared/exports/log-section.ts';
import type { Section } from '#shared/exports/pages.ts';
import { planExport } from '#shared/exports/plan.ts';
import { lineText } from '#shared/exports/record-lines.ts';
import { readExport } from '#shared/exports/records/exports.ts';
import { SECTIONS } from '#shared/exports/sections.ts';
import type { ExporterServices } from '#shared/exports/services.ts';
import type { Table } from '#shared/table/table.ts';
import { verifierKey } from '#shared/tlog/keys.ts';
import { type Files, sealed } from './bag.ts';

/** What a section gave, and which texts it asked the table for. Keys of partitions are among them. */
interface Read {
  files: Files;
  asked: ReadonlySet<string>;
}

/** Returns a table that notes every text of every call. */
function noting(table: Table, asked: Set<string>): Table {
  const collect = (value: unknown): void => {
    if (typeof value === 'string') asked.add(value);
    else if (value instanceof Map || Array.isArray(value)) for (const one of value.values()) collect(one);
    else if (typeof value === 'object' && value !== null) for (const one of Object.values(value)) collect(one);
  };
  return new Proxy(table, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => {
        collect(args);
        return Reflect.apply(member, target, args) as unknown;
      };
    },
  });
}

/**
 * Makes the files of an export with the sections of the exporter, and after a change of an item only those sections again that read the
 * partition of the item. An archive for each change would take a second.
 */
export class StoredExport {
  readonly #services: ExporterServices;
  readonly #context: Omit<ExportContext, 'table' | 'plan'>;
  readonly #tagFiles: Files;
  #plan: { plan: ExportContext['plan']; asked: ReadonlySet<string> };
  #read = new Map<Section, Read>();

  private constructor(
    services: ExporterServices,
    context: Omit<ExportContext, 'table' | 'plan'>,
    plan: { plan: ExportContext['plan']; asked: ReadonlySet<string> },
    tagFiles: Files,
  ) {
    this.#services = services;
    this.#context = context;
    this.#plan = plan;
    this.#tagFiles = tagFiles;
  }

  /** @param made a finished export, whose checkpoint and tag files are used again */
  static async of(
    services: ExporterServices,
    org: OrganizationId,
    { id, files }: { id: Id; files: Files },
  ): Promise<StoredExport> {
    const { table, keys, clock } = services;
    const record = await readExport(table, org, id);
    const log = record?.log;
    if (!record || !log) throw new Error('The export has no checkpoint');
    const verifier = files.get('data/verify.mjs');
    if (!verifier) throw new Error('The export has no verifier');
    const context = {
      ...services,
      ...{ org, log, name: record.name, started: record.started, now: clock.now() },
      logIndexes: pinnedIndexes(table, org, log),
      logKey: async (origin: string) => verifierKey(origin, 'ed25519', (await keys.log()).publicKey),
      // Another run of tests can build the verifier again meanwhile.
      verifier: async () => verifier,
      keyFiles: () => keyFiles(keys, log, services.witness.policy),
      templates: new Set<string>(),
    };
    const tagFiles = new Map([...files].filter(([path]) => !path.startsWith('data/')));
    const made = new StoredExport(services, context, await planned(services, context), tagFiles);
    for (const section of SECTIONS) made.#read.set(section, await made.#sectionFiles(section));
    return made;
  }

  /** The files as they were read first. */
  get files(): Files {
    return this.#joined(this.#read);
  }

  /** Whether an export reads a partition. */
  reads(pk: string): boolean {
    return this.#plan.asked.has(pk) || [...this.#read.values()].some(({ asked }) => asked.has(pk));
  }

  /** Returns the files after an item of a partition was changed. The next call knows nothing of the change. */
  async filesAfter(pk: string): Promise<Files> {
    const isPlanned = this.#plan.asked.has(pk);
    const plan = this.#plan;
    if (isPlanned) this.#plan = await planned(this.#services, this.#context);
    try {
      const read = new Map(this.#read);
      for (const [section, { asked }] of this.#read) {
        if (isPlanned || asked.has(pk)) read.set(section, await this.#sectionFiles(section));
      }
      return this.#joined(read);
    } finally {
      this.#plan = plan;
    }
  }

  #joined(read: ReadonlyMap<Section, Read>): Files {
    const files = new Map<string, Buffer>();
    for (const { files: more } of read.values()) {
      for (const [path, bytes] of more) files.set(path, Buffer.concat([files.get(path) ?? Buffer.of(), bytes]));
    }
    const all = new Map([...this.#tagFiles, ...files]);
    return sealed(all, all);
  }

  async #sectionFiles(section: Section): Promise<Read> {
    const asked = new Set<string>();
    const table = noting(this.#services.table, asked);
    const context: ExportContext = {
      ...this.#context,
      ...{ table, plan: this.#plan.plan, templates: new Set() },
      logIndexes: pinnedIndexes(table, this.#context.org, this.#context.log),
    };
    const texts = new Map<string, string[]>();
    const files = new Map<string, Buffer>();
    for await (const page of section.pages(context, null)) {
      for (const line of page.lines) add(texts, line.file, lineText(line));
      for (const { file, text } of page.texts ?? []) add(texts, file, text);
      for (const { path, bytes } of page.files ?? []) files.set(path, bytes);
    }
    for (const [file, parts] of texts) files.set(pathOf(file), Buffer.from(parts.join('')));
    return { files, asked };
  }
}

const add = (texts: Map<string, string[]>, file: string, text: string): void =>
  void texts.set(file, [...(texts.get(file) ?? []), text]);

const pathOf = (file: string): string =>
  file === ENVELOPES ? 'data/statements/all.intoto.jsonl' : `data/records/${file}-0001.ndjson`;

async function planned({ table }: ExporterServices, { org, now }: Pick<ExportContext, 'org' | 'now'>) {
  const asked = new Set<string>();
  return { plan: await planExport(noting(table, asked), org, now), asked };
}
