/** Encodings of files to import that do not say themselves what they are, but for UTF-8; by the names of the WHATWG, and CP850. */
export const oneByteEncodings = [
  'windows-1252',
  'windows-1250',
  'windows-1251',
  'windows-1253',
  'windows-1254',
  'windows-1257',
  'iso-8859-2',
  'iso-8859-15',
  'macintosh',
  'cp850',
] as const
