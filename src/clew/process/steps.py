def steps_of_case(flow, case): return []
def steps_of_process(flow, done): return []
