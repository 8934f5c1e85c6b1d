import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib';

/**
 * As much of the ZIP format as functions are uploaded in (APPNOTE 6.3, sections 4.3 and 4.4): no folders of their own,
 * no encryption, nothing above 4 GB. The same files give the same bytes, so that an unchanged function is not deployed
 * again.
 */

export interface ZipEntry {
  /** Path within the archive, with `/`. */
  name: string;
  bytes: Buffer;
}

const LOCAL_HEADER = 0x04034b50;
const CENTRAL_HEADER = 0x02014b50;
const END = 0x06054b50;
const LOCAL_LENGTH = 30;
const CENTRAL_LENGTH = 46;
const END_LENGTH = 22;

const VERSION = 20;
/** Made on Unix, since only then the file's mode is read. */
const MADE_BY = (3 << 8) | VERSION;
/** Names are UTF-8. */
const FLAGS = 1 << 11;
const DEFLATED = 8;
/** 1980-01-01 00:00, the earliest time that the format knows: real times would change the bytes. */
const TIME = 0;
const DATE = (1 << 5) | 1;
/** A regular file that everybody may read: functions run as another user than the one who uploads them. */
const MODE = 0o100644;

/** An archive of the entries, ordered by name. */
export function writeZip(entries: readonly ZipEntry[]): Buffer {
  const local: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const { name, bytes } of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = Buffer.from(name, 'utf8');
    const packed = deflateRawSync(bytes, { level: 9 });
    const common = Buffer.alloc(26);
    common.writeUInt16LE(VERSION, 0);
    common.writeUInt16LE(FLAGS, 2);
    common.writeUInt16LE(DEFLATED, 4);
    common.writeUInt16LE(TIME, 6);
    common.writeUInt16LE(DATE, 8);
    common.writeUInt32LE(crc32(bytes), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(bytes.length, 18);
    common.writeUInt16LE(path.length, 22);

    local.push(uint32(LOCAL_HEADER), common, path, packed);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(MODE * 0x10000, 6);
    place.writeUInt32LE(offset, 10);
    central.push(uint32(CENTRAL_HEADER), uint16(MADE_BY), common, place, path);
    offset += LOCAL_LENGTH + path.length + packed.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(END_LENGTH);
  end.writeUInt32LE(END, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...local, directory, end]);
}

/**
 * The entries of an archive that {@link writeZip} made.
 *
 * @throws Error for bytes that are no such archive, or whose checksum is wrong
 */
export function readZip(zip: Buffer): ZipEntry[] {
  const end = zip.length - END_LENGTH;
  if (end < 0 || zip.readUInt32LE(end) !== END) throw new Error('Not an archive');
  const entries: ZipEntry[] = [];
  let place = zip.readUInt32LE(end + 16);
  for (let i = 0; i < zip.readUInt16LE(end + 10); i += 1) {
    if (zip.readUInt32LE(place) !== CENTRAL_HEADER) throw new Error('The archive has no directory where it says');
    const nameLength = zip.readUInt16LE(place + 28);
    const name = zip.toString('utf8', place + CENTRAL_LENGTH, place + CENTRAL_LENGTH + nameLength);
    const data = zip.readUInt32LE(place + 42) + LOCAL_LENGTH + nameLength;
    const bytes = inflateRawSync(zip.subarray(data, data + zip.readUInt32LE(place + 20)));
    if (crc32(bytes) !== zip.readUInt32LE(place + 16)) throw new Error(`The checksum of ${name} is wrong`);
    entries.push({ name, bytes });
    place += CENTRAL_LENGTH + nameLength;
  }
  return entries;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}
