/** One component of an SBOM as the file says it. A field is null if the file does not say it. */
export interface Component {
  /** The package URL as the file has it, which need not be canonical. */
  purl: string | null;
  /** With the group or namespace in front where the format separates them: `group/name`. */
  name: string;
  version: string | null;
  /** Digests in lower-case hex by algorithm. The algorithms are `sha1`, `sha256` and `sha512`, in this order. */
  digests: Readonly<Record<string, string>>;
  /** `direct`: the subject depends on it or contains it. `deeper`: only others do. */
  depth: 'direct' | 'deeper' | null;
}

/** What an SBOM lists, without its subject and without files (rules/components.md#what-is-read). */
export interface ComponentsRead {
  /** `cyclonedx-1.6`, `spdx-2.3`, `spdx-3.0` */
  format: string;
  /** Distinct and in canonical order: equal sets are equal lists. */
  components: Component[];
}

/** What reading an SBOM gave: its components, or why they cannot be read. */
export type ComponentsReading = { read: ComponentsRead; unreadable: null } | { read: null; unreadable: string };
