import { allFunds } from '../contract/endpoint.ts'
import performanceYears from './performance-years.ts'

export default allFunds(performanceYears, {
  id: 'performance-years-all',
  path: '/api/v1/performance-years-all/',
  summary: 'Performance of all funds per calendar year',
})
