/** Bytes that are no HTTP request, written to a connection of their own. */

export const garbage: readonly string[] = [
  'HELO conform.example\r\n\r\n',
  'GET\r\n\r\n',
  'GET / HTTP/1.1\r\n\r\n',
  'GET / HTTP/1.1\r\nHost: a\r\nContent-Length: many\r\n\r\n',
  'GET / HTTP/1.1\r\nHost: a\r\nno header\r\n\r\n',
  'GET /api/v1/ figures/ HTTP/1.1\r\nHost: a\r\n\r\n',
  `${'\u0000\u00ff'.repeat(2000)}\r\n\r\n`,
]
